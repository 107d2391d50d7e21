package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.slots.Protection;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.s3.parse.S3RequestParser;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.ClusterHealthHandler;
import dev.sluice.proxy.s3.S3Operations;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterHealthTest {
    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    /// As a load balancer asks: unsigned.
    private Response health() {
        return cluster.response(SignedRequest.anonymous("GET /health/cluster"));
    }

    @Test
    void clusterWithoutReplicatedBucketsIsHealthy() {
        assertThat(health().status()).isEqualTo(200);
        assertThat(TrialCluster.text(health()))
                .isEqualTo("{\"id\":\"proxy001\",\"slots\":{\"total\":0,\"full\":0,\"degraded\":0,\"unopened\":0,"
                        + "\"protection\":{\"surviving\":{},\"zonal\":0,\"present\":0,\"missing\":0},\"waiting\":{}},"
                        + "\"muted\":[]}");
    }

    private static SlotCounts slots(long full, long degraded, long unopened) {
        return new SlotCounts(full + degraded + unopened, full, degraded, unopened, Protection.NONE, new TreeMap<>());
    }

    @Test
    void clusterIsHealthyWhenEverySlotHasAllItsReplicas() {
        cluster.slots = slots(65_536, 0, 0);
        assertThat(health().status()).isEqualTo(200);
        for (var slots : new SlotCounts[] {slots(65_535, 1, 0), slots(65_535, 0, 1)}) {
            cluster.slots = slots;
            assertThat(health().status()).isEqualTo(503);
            assertThat(health().headers().first("Retry-After")).contains("1");
            assertThat(TrialCluster.text(health()))
                    .contains("\"total\":65536,\"full\":65535")
                    .contains("\"degraded\":%d,\"unopened\":%d".formatted(slots.degraded(), slots.unopened()));
        }
    }

    @Test
    void nodeThatKnowsNoStateIsNotHealthy() {
        var handler = new ClusterHealthHandler(
                new NodeId("proxy001"),
                () -> {
                    throw new StoreException.Unavailable("waiting for all targets to join");
                },
                Set::of);
        var answer = (Response) handler.answer(SignedRequest.anonymous("GET /health/cluster"));
        assertThat(answer.status()).isEqualTo(503);
        assertThat(TrialCluster.text(answer)).contains("\"reason\":\"waiting for all targets to join\"");
    }

    @Test
    void mutedTargetsAreNamed() {
        assertThat(TrialCluster.text(health())).contains("\"muted\":[]");
        cluster.muted = Set.of(new NodeId("target003"));
        assertThat(TrialCluster.text(health())).contains("\"muted\":[\"target003\"]");
    }

    @Test
    void itIsNoReadOfAnObject() {
        assertThat(new S3Operations(new S3RequestParser()).of(SignedRequest.anonymous("GET /health/cluster")))
                .isEqualTo("other");
    }

    @Test
    void countsAddUp() {
        assertThatThrownBy(() -> new SlotCounts(3, 1, 1, 0, Protection.NONE, new TreeMap<>()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
