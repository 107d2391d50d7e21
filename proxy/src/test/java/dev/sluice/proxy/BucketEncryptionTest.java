package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What a bucket's encryption is said to be. It cannot be set.
class BucketEncryptionTest {
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
        for (var method : new String[] {"PUT", "DELETE"}) {
            assertThat(TrialCluster.outcome(encrypted.send(method + " /own?encryption", "")))
                    .isEqualTo("501 NotImplemented");
        }
    }
}
