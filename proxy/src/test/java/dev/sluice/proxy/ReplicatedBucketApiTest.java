package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `replicas` by the native API.
class ReplicatedBucketApiTest {
    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private Response create(String properties) {
        return cluster.send(
                "POST /v1/buckets/shards", "{\"action\":\"create-bck\",\"value\":%s}".formatted(properties));
    }

    private Response set(String properties) {
        return cluster.send(
                "PATCH /v1/buckets/shards", "{\"action\":\"set-bprops\",\"value\":%s}".formatted(properties));
    }

    private int replicas() {
        return cluster.known("shards").orElseThrow().properties().replicas();
    }

    @Test
    void replicasAreSetAtTheStartAndWhileTheBucketIsEmpty() {
        assertThat(create("{\"replicas\":3}").status()).isEqualTo(200);
        assertThat(replicas()).isEqualTo(3);
        assertThat(TrialCluster.text(cluster.send("GET /v1/buckets", ""))).contains("\"replicas\":3");
        assertThat(set("{\"replicas\":2}").status()).isEqualTo(200);
        assertThat(replicas()).isEqualTo(2);
        cluster.target(2).keys(cluster.known("shards").orElseThrow().id()).add("a");
        var refused = set("{\"replicas\":3}");
        assertThat(refused.status()).isEqualTo(501);
        assertThat(TrialCluster.text(refused)).contains("NotImplemented", "shards is not empty");
        assertThat(replicas()).isEqualTo(2);
    }

    @Test
    void replicasThatCannotBeAreRefused() {
        assertThat(create("{\"replicas\":9}").status()).isEqualTo(400);
        assertThat(TrialCluster.text(create("{\"replicas\":9}"))).contains("from 1 to 8, not 9");
        var cached = create("{\"replicas\":2,\"backend\":{\"url\":\"s3://cloud\",\"via\":\"lab\"}}");
        assertThat(cached.status()).isEqualTo(400);
        assertThat(TrialCluster.text(cached)).contains("a bucket with a backend has one replica, not 2");
        var twice = create("{\"replicas\":2,\"local_copies\":2}");
        assertThat(twice.status()).isEqualTo(501);
        assertThat(TrialCluster.text(twice)).contains("local_copies and replicas");
        assertThat(cluster.known("shards")).isEmpty();
    }
}
