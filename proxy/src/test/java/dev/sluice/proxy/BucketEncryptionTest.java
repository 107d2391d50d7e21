package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a bucket's encryption is said to be, and what it can be set to.
class BucketEncryptionTest {
    private static final String AES256 = configuration("<SSEAlgorithm>AES256</SSEAlgorithm>", "");

    private final TrialCluster open = TrialCluster.asSeenFrom(TrialCluster.PROXY);
    private final TrialCluster encrypted = TrialCluster.withEncryptedDrives();

    BucketEncryptionTest() {
        for (var cluster : new TrialCluster[] {open, encrypted}) {
            cluster.bucket("own");
            cluster.backed("cached");
        }
    }

    @AfterEach
    void close() {
        open.close();
        encrypted.close();
    }

    private static String configuration(String byDefault, String more) {
        return ("<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>%s"
                        + "</ApplyServerSideEncryptionByDefault>%s</Rule></ServerSideEncryptionConfiguration>")
                .formatted(byDefault, more);
    }

    private static String put(TrialCluster cluster, String bucket, String document) {
        return TrialCluster.outcome(cluster.send("PUT /" + bucket + "?encryption", document));
    }

    private static String get(TrialCluster cluster, String bucket) {
        return TrialCluster.outcome(cluster.send("GET /" + bucket + "?encryption", ""));
    }

    @Test
    void encryptedDrivesEncryptEachBucketOfTheirOwn() {
        var answer = encrypted.send("GET /own?encryption", "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(TrialCluster.text(answer))
                .contains("<ServerSideEncryptionConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Rule>"
                        + "<ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>"
                        + "</ApplyServerSideEncryptionByDefault><BucketKeyEnabled>false</BucketKeyEnabled></Rule>");
        for (var none : new String[] {get(encrypted, "cached"), get(open, "own"), get(open, "cached")}) {
            assertThat(none).isEqualTo("404 ServerSideEncryptionConfigurationNotFoundError");
        }
    }

    @Test
    void whatIsSoAnywayCanBeSet() {
        assertThat(put(encrypted, "own", AES256)).startsWith("200");
        var withKey =
                configuration("<SSEAlgorithm>AES256</SSEAlgorithm>", "<BucketKeyEnabled>false</BucketKeyEnabled>");
        assertThat(put(encrypted, "own", withKey)).startsWith("200");
        assertThat(put(encrypted, "none", AES256)).isEqualTo("404 NoSuchBucket");
        assertThat(put(encrypted, "cached", AES256)).isEqualTo("501 NotImplemented");
        var refused = open.send("PUT /own?encryption", AES256);
        assertThat(TrialCluster.outcome(refused)).isEqualTo("501 NotImplemented");
        assertThat(TrialCluster.text(refused)).contains("set storage.encrypted = true");
        assertThat(TrialCluster.outcome(encrypted.send("DELETE /own?encryption", "")))
                .isEqualTo("501 NotImplemented");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<SSEAlgorithm>aws:kms</SSEAlgorithm> | | 501 NotImplemented",
                "<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>k</KMSMasterKeyID> | | 501 NotImplemented",
                "<SSEAlgorithm>AES128</SSEAlgorithm> | | 400 MalformedXML",
                "<SSEAlgorithm>AES256</SSEAlgorithm> | <BucketKeyEnabled>true</BucketKeyEnabled> | 501 NotImplemented",
                "<SSEAlgorithm>AES256</SSEAlgorithm> | <BlockedEncryptionTypes/> | 501 NotImplemented",
                "<SSEAlgorithm>AES256</SSEAlgorithm> | <Other/> | 400 MalformedXML",
                "<Other/> | | 400 MalformedXML",
                "<SSEAlgorithm>AES256</SSEAlgorithm><SSEAlgorithm>AES256</SSEAlgorithm> | | 400 MalformedXML",
                "'' | | 400 MalformedXML",
            })
    void nothingElseCanBeSet(String byDefault, String more, String refusal) {
        assertThat(put(encrypted, "own", configuration(byDefault, more == null ? "" : more)))
                .isEqualTo(refusal);
    }

    @Test
    void aBodyThatIsNoConfigurationIsMalformed() {
        var twice = AES256.replaceFirst("(<Rule>.*</Rule>)", "$1$1");
        for (var body : new String[] {"", "AES256", "<Tagging/>", "<ServerSideEncryptionConfiguration/>", twice}) {
            assertThat(put(encrypted, "own", body)).as(body).isEqualTo("400 MalformedXML");
        }
        var wrong = encrypted.send("PUT /own?encryption", AES256, "x-amz-checksum-crc32", "AAAAAA==");
        assertThat(TrialCluster.outcome(wrong)).isEqualTo("400 BadDigest");
    }
}
