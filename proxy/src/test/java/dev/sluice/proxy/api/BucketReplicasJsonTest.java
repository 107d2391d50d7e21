package dev.sluice.proxy.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.s3.S3Failure;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketReplicasJsonTest {
    private static final BucketProperties NATIVE = BucketProperties.defaults(Optional.empty());
    private static final BucketProperties CACHED = BucketProperties.defaults(Optional.of(BackendSpec.of("s3://cloud")));

    private static BucketProperties changed(BucketProperties before, String json) throws IOException {
        return BucketJson.changed("shards", before, new ObjectMapper().readTree(json));
    }

    @Test
    void replicasAreReadAndShownAndStayWhenNotNamed() throws IOException {
        var two = changed(NATIVE, "{\"replicas\":2}");
        assertThat(two).isEqualTo(NATIVE.withReplicas(2));
        assertThat(changed(two, "{\"durability\":\"os\"}").replicas()).isEqualTo(2);
        assertThat(changed(two, "{\"replicas\":1}")).isEqualTo(NATIVE);
        assertThat(BucketJson.show(new Bucket(1, "shards", 2, 0, two))
                        .path("replicas")
                        .asInt())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "9", "-1", "\"2\"", "1.5", "null", "18446744073709551617"})
    void replicasAreAWholeNumberFromOneToEight(String replicas) {
        assertThatThrownBy(() -> changed(NATIVE, "{\"replicas\":%s}".formatted(replicas)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("replicas must be a whole number from 1 to 8, not ");
    }

    @Test
    void bucketWithBackendHasOneReplica() throws IOException {
        assertThatThrownBy(() -> changed(CACHED, "{\"replicas\":2}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a bucket with a backend has one replica, not 2");
        assertThat(changed(CACHED, "{\"replicas\":1}")).isEqualTo(CACHED);
    }

    @Test
    void replicasWithLocalCopiesAreNotImplemented() throws IOException {
        var twice = changed(NATIVE, "{\"local_copies\":2}");
        var refusals = Map.of("{\"replicas\":2,\"local_copies\":2}", NATIVE, "{\"replicas\":2}", twice);
        for (var refusal : refusals.entrySet()) {
            assertThatThrownBy(() -> changed(refusal.getValue(), refusal.getKey()))
                    .isInstanceOfSatisfying(
                            S3Failure.class,
                            refused -> assertThat(refused.error().status()).isEqualTo(501))
                    .hasMessageContaining("local_copies and replicas");
        }
        assertThat(changed(twice, "{\"replicas\":2,\"local_copies\":1}")).isEqualTo(NATIVE.withReplicas(2));
    }
}
