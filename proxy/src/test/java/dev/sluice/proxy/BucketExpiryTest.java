package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// When a bucket's objects are to expire: its lifecycle document, and its property.
class BucketExpiryTest {
    private static final String RULE = "<Rule><ID>r</ID><Filter><Prefix>tmp/</Prefix></Filter><Status>Enabled</Status>";
    private static final String DAYS = RULE + "<Expiration><Days>3</Days></Expiration></Rule>";
    private static final String ABORT =
            RULE + "<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation>"
                    + "</AbortIncompleteMultipartUpload></Rule>";

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private static String lifecycle(String rules) {
        return "<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>";
    }

    private String outcome(String line, String body) {
        return TrialCluster.outcome(cluster.send(line, body));
    }

    @Test
    void rulesAreADocumentOfTheBucket() {
        cluster.bucket("b");
        assertThat(outcome("GET /b?lifecycle", "")).isEqualTo("404 NoSuchLifecycleConfiguration");
        assertThat(cluster.send("PUT /b?lifecycle", lifecycle(DAYS)).status()).isEqualTo(200);
        assertThat(TrialCluster.text(cluster.send("GET /b?lifecycle", "")))
                .contains("<ID>r</ID>", "<Prefix>tmp/</Prefix>", "<Days>3</Days>");
        assertThat(cluster.views
                        .current()
                        .rules(cluster.known("b").orElseThrow())
                        .lifecycle()
                        .rules())
                .hasSize(1);
        assertThat(outcome("PUT /b?lifecycle", lifecycle(""))).isEqualTo("400 MalformedXML");
        assertThat(outcome("PUT /b?lifecycle", lifecycle(DAYS.replace("3", "0"))))
                .isEqualTo("400 InvalidArgument");
        assertThat(
                        outcome(
                                "PUT /b?lifecycle",
                                lifecycle(
                                        RULE
                                                + "<Transition><Days>3</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>")))
                .isEqualTo("501 NotImplemented");
        assertThat(TrialCluster.text(cluster.send("GET /b?lifecycle", ""))).contains("<Days>3</Days>");
        assertThat(cluster.send("DELETE /b?lifecycle", "").status()).isEqualTo(204);
        assertThat(outcome("GET /b?lifecycle", "")).isEqualTo("404 NoSuchLifecycleConfiguration");
    }

    /// It would delete them in the cloud.
    @Test
    void objectsOfACachedBucketDoNotExpireButItsUploadsDo() {
        cluster.backed("b");
        assertThat(outcome("PUT /b?lifecycle", lifecycle(DAYS))).isEqualTo("501 NotImplemented");
        assertThat(cluster.send("PUT /b?lifecycle", lifecycle(ABORT)).status()).isEqualTo(200);
        assertThat(set("b", "\"90m\"")).contains("expire_after is for buckets that own their objects");
    }

    private String set(String bucket, String life) {
        return TrialCluster.text(cluster.send(
                "PATCH /v1/buckets/" + bucket,
                "{\"action\":\"set-bprops\",\"value\":{\"expire_after\":%s}}".formatted(life)));
    }

    private BucketProperties properties() {
        return cluster.known("b").orElseThrow().properties();
    }

    @Test
    void thePropertyIsADuration() {
        cluster.bucket("b");
        assertThat(set("b", "\"90m\"")).isEmpty();
        assertThat(properties().expireAfter()).contains(Duration.ofMinutes(90));
        assertThat(cluster.send("HEAD /v1/buckets/b", "").headers().first("Ais-Bucket-Props"))
                .hasValueSatisfying(shown -> assertThat(shown).contains("\"expire_after\":\"90m\""));
        assertThat(cluster.send("PUT /b?lifecycle", lifecycle(DAYS)).status()).isEqualTo(200);
        assertThat(properties().expireAfter()).as("another change").contains(Duration.ofMinutes(90));
        assertThat(set("b", "null")).isEmpty();
        assertThat(properties().expireAfter()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"59s\"", "\"0d\"", "\"36501d\"", "\"soon\"", "90", "\"-1h\"", "\"1.5h\""})
    void anotherTextIsRefused(String life) {
        cluster.bucket("b");
        assertThat(set("b", life)).contains("\"status\":400", "expire_after");
        assertThat(properties().expireAfter()).isEmpty();
    }

    @Test
    void usageTellsWhatExpired() {
        cluster.bucket("b");
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/b", ""))).doesNotContain("expiry");
        assertThat(set("b", "\"1h\"")).isEmpty();
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/b", "")))
                .contains("\"expiry\":{\"deleted\":6,\"waiting\":9,\"failed\":0,\"last_pass\":\"2026-11-1");
    }
}
