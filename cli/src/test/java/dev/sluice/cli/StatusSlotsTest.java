package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What `sluice status` says of the slots of replicated buckets, and of controllers.
final class StatusSlotsTest {
    private static final String SLOTS = """
            {"id":"proxy001","slots":{"total":65536,"full":65530,"degraded":5,"unopened":1,
             "protection":{"surviving":{"0":4,"1":65531},"zonal":65500,"present":131000,"missing":6},
             "waiting":{"target002":1}}}
            """;
    private static final String NO_SLOTS = """
            {"id":"proxy001","slots":{"total":0,"full":0,"degraded":0,"unopened":0,
             "protection":{"surviving":{},"zonal":0,"present":0,"missing":0},"waiting":{}}}
            """;

    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicReference<String> clusterHealth = new AtomicReference<>(SLOTS);
    private final AtomicReference<String> health = new AtomicReference<>("{}");
    private final AtomicReference<String> url = new AtomicReference<>("");
    private final AskedNode node;

    StatusSlotsTest() throws IOException {
        node = new AskedNode(request -> switch (request.uri().getPath()) {
            case "/v1/daemon" ->
                "{\"pmap\":{\"proxy001\":{\"public_net\":{\"direct_url\":\"%s\"}}},\"tmap\":{}}".formatted(url.get());
            case "/metrics" -> metrics(looks.getAndIncrement());
            case "/health" -> Objects.requireNonNull(health.get());
            case "/health/cluster" -> Objects.requireNonNull(clusterHealth.get());
            default -> "{}";
        });
        url.set(node.url());
    }

    private static String metrics(int look) {
        return """
            sluice_http_connections{node="target001"} 1
            sluice_bucket_missing_bytes{node="target001",bucket="sets"} 6.0E9
            sluice_replica_copied_bytes_total{node="target001"} %d
            sluice_replica_copying_stuck{node="target001"} 3
            """.formatted(look * 500_000_000L);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void slotsAreCountedByState() {
        assertThat(node.sluice("status").out())
                .contains(
                        "65536 slots of replicated buckets: 65530 with all replicas in-sync, 5 degraded, 1 not served",
                        "4 no other loss, 65531 the loss of 1 more; 65500 survive the loss of any one zone",
                        "those that are not served wait for: target002 (1)");
        assertThat(node.sluice("status", "--json").out().replaceAll("\\s", ""))
                .contains("\"slots\":{\"total\":65536,\"full\":65530,\"degraded\":5,\"unopened\":1,\"protection\"");
    }

    @Test
    void repairSaysWhatIsLeftAndHowLongItTakes() {
        assertThat(node.sluice("status").out())
                .containsPattern("about 5\\.6 GiB are to be copied, \\d+\\.\\d MiB a second: about \\d+ s; "
                        + "3 objects cannot be copied: the targets' logs name them");
        assertThat(node.sluice("status", "--json").out().replaceAll("\\s", ""))
                .contains("\"repair\":{\"missing_bytes\":6000000000,\"bytes_per_second\":");
        clusterHealth.set(NO_SLOTS);
        assertThat(node.sluice("status").out()).doesNotContain("to be copied");
    }

    @Test
    void mutedTargetsAreNamed() {
        assertThat(node.sluice("status").out()).doesNotContain("muted");
        clusterHealth.set(SLOTS.replace("{\"id\"", "{\"muted\":[\"target003\"],\"id\""));
        assertThat(node.sluice("status").out()).contains("target003 is muted: most other targets do not hear it");
        assertThat(node.sluice("status", "--json").out().replaceAll("\\s", "")).contains("\"muted\":[\"target003\"]");
    }

    @Test
    void controllerThatTakesNoPartIsNamed() {
        health.set("{\"controller\":{\"leads\":false,\"leader\":\"target002\",\"reason\":\"\"}}");
        assertThat(node.sluice("status").out()).doesNotContain("as a controller");
        health.set("{\"controller\":{\"leads\":false,\"leader\":\"\",\"reason\":\"it hears no leader\"}}");
        var status = node.sluice("status");
        assertThat(status.out()).contains("proxy001 as a controller: it hears no leader");
        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(node.sluice("status", "--json").out().replaceAll("\\s", ""))
                .contains("\"controller\":{\"leads\":false,\"leader\":\"\",");
    }

    @Test
    void withoutReplicatedBucketsNothingIsSaidOfSlots() {
        clusterHealth.set(NO_SLOTS);
        assertThat(node.sluice("status").out()).contains("proxy001").doesNotContain("slots");
        assertThat(node.sluice("status", "--json").out().replaceAll("\\s", "")).contains("\"total\":0");
    }

    @Test
    void nodeThatDoesNotTellIsNoFailure() {
        clusterHealth.set("");
        assertThat(node.sluice("status")).returns(0, AskedNode.Result::exitCode);
        assertThat(node.sluice("status", "--json").out().replaceAll("\\s", "")).contains("\"slots\":null");
    }
}
