package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What the commands on buckets send, and what they refuse without sending anything.
final class BucketCommandsTest {
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final AskedNode node;

    BucketCommandsTest() throws IOException {
        node = new AskedNode(request -> {
            received.add("%s %s %s".formatted(request.method(), request.uri(), request.body()));
            return "";
        });
    }

    @AfterEach
    void close() {
        node.close();
    }

    private AskedNode.Result sluice(String... arguments) {
        return node.sluice(arguments);
    }

    @Test
    void aBucketIsMadeWithItsProperties() {
        assertThat(sluice("bucket", "create", "shards", "--local-copies", "2", "--quota", "1.5TiB"))
                .returns(0, AskedNode.Result::exitCode);
        assertThat(received)
                .containsExactly("POST /v1/buckets/shards {\"action\":\"create-bck\",\"value\":"
                        + "{\"local_copies\":2,\"quota\":1649267441664}}");
    }

    @Test
    void replicasAreSetAtTheStartAndLater() {
        assertThat(sluice("bucket", "create", "shards", "--replicas", "2")).returns(0, AskedNode.Result::exitCode);
        assertThat(sluice("bucket", "set", "shards", "--replicas", "3")).returns(0, AskedNode.Result::exitCode);
        assertThat(received)
                .containsExactly(
                        "POST /v1/buckets/shards {\"action\":\"create-bck\",\"value\":{\"replicas\":2}}",
                        "PATCH /v1/buckets/shards {\"action\":\"set-bprops\",\"value\":{\"replicas\":3}}");
        assertThat(sluice("bucket", "create", "shards", "--replicas", "two"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--replicas"));
        assertThat(received).hasSize(2);
    }

    @Test
    void replicasAreListedWhereThereIsMoreThanOne() throws IOException {
        var answer = "[{\"name\":\"a\",\"replicas\":1},{\"name\":\"b\",\"replicas\":2},{\"name\":\"old\"}]";
        try (var other = new AskedNode(_ -> answer)) {
            assertThat(other.sluice("bucket", "ls").out().lines()).containsExactly("a", "b  2 replicas", "old");
            assertThat(other.sluice("bucket", "ls", "--json").out().replaceAll("\\s", ""))
                    .isEqualTo("[\"a\",\"b\",\"old\"]");
        }
    }

    @Test
    void endpointIsTheClusterAndBackendEndpointTheCloud() {
        assertThat(node.sluiceAt("--endpoint", "bucket", "create", "shards", "--backend", "s3://b", "--via", "lab"))
                .returns(0, AskedNode.Result::exitCode);
        assertThat(sluice(
                        "bucket",
                        "create",
                        "more",
                        "--backend",
                        "s3://b",
                        "--backend-endpoint",
                        "http://10.0.0.1:9000"))
                .returns(0, AskedNode.Result::exitCode);
        assertThat(received)
                .containsExactly(
                        "POST /v1/buckets/shards {\"action\":\"create-bck\",\"value\":"
                                + "{\"backend\":{\"url\":\"s3://b\",\"via\":\"lab\"}}}",
                        "POST /v1/buckets/more {\"action\":\"create-bck\",\"value\":"
                                + "{\"backend\":{\"url\":\"s3://b\",\"endpoint\":\"http://10.0.0.1:9000\"}}}");
        assertThat(sluice("bucket", "create", "own", "--backend-endpoint", "http://10.0.0.1:9000"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--backend-endpoint", "belong to a --backend"));
    }

    @Test
    void durabilityAndRouteAreChosenAndRouteIsTakenAway() {
        assertThat(sluice("bucket", "create", "shards", "--durability", "os", "--route", "redirect"))
                .returns(0, AskedNode.Result::exitCode);
        assertThat(sluice("bucket", "set", "shards", "--durability", "fsync", "--route", "default"))
                .returns(0, AskedNode.Result::exitCode);
        assertThat(received)
                .containsExactly(
                        "POST /v1/buckets/shards {\"action\":\"create-bck\",\"value\":"
                                + "{\"durability\":\"os\",\"route\":\"redirect\"}}",
                        "PATCH /v1/buckets/shards {\"action\":\"set-bprops\",\"value\":"
                                + "{\"durability\":\"fsync\",\"route\":null}}");
        assertThat(sluice("bucket", "set", "shards", "--durability", "never"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--durability", "FSYNC, OS"));
        assertThat(received).hasSize(2);
    }

    @Test
    void onlyWhatIsNamedIsChanged() {
        assertThat(sluice("bucket", "set", "shards", "--local-copies", "9")).returns(0, AskedNode.Result::exitCode);
        assertThat(sluice("bucket", "set", "shards", "--quota", "none")).returns(0, AskedNode.Result::exitCode);
        assertThat(received)
                .containsExactly(
                        "PATCH /v1/buckets/shards {\"action\":\"set-bprops\",\"value\":{\"local_copies\":9}}",
                        "PATCH /v1/buckets/shards {\"action\":\"set-bprops\",\"value\":{\"quota\":null}}");
    }

    @Test
    void rulesForCachedObjectsAreSent() {
        assertThat(sluice("bucket", "set", "shards", "--revalidate", "10m", "--evict", "never", "--cold-range", "pass"))
                .returns(0, AskedNode.Result::exitCode);
        assertThat(received)
                .containsExactly("PATCH /v1/buckets/shards {\"action\":\"set-bprops\",\"value\":"
                        + "{\"revalidate\":\"10m\",\"evict\":\"never\",\"cold_range\":\"pass\"}}");
    }

    @Test
    void whatCannotBeIsRefusedBeforeAnythingIsSent() {
        assertThat(sluice("bucket", "set", "shards", "--quota", "lots"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--quota must be none, or a size", "'lots'"));
        assertThat(sluice("bucket", "set", "shards", "--quota", "9999999999TiB"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--quota"));
        assertThat(sluice("bucket", "set", "shards"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--local-copies N"));
        assertThat(received).isEmpty();
    }
}
