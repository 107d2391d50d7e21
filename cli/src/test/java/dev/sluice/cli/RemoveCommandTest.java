package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What `sluice rm` removes, and what it does not remove without consent.
final class RemoveCommandTest {
    private static final Map<String, String> PROPERTIES =
            Map.of("cached", "{\"backend\":{\"url\":\"s3://cloud\"}}", "own", "{\"durability\":\"fsync\"}");

    private final BlockingQueue<String> removed = new LinkedBlockingQueue<>();
    private final AskedNode node;

    RemoveCommandTest() throws IOException {
        node = new AskedNode(this::answer);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private String answer(AskedNode.Request request) {
        var path = request.uri().getPath();
        return switch (request.method()) {
            case "HEAD" -> PROPERTIES.getOrDefault(path.substring("/v1/buckets/".length()), "");
            case "GET" -> listing(request.uri().getQuery());
            default -> {
                removed.add(request.method() + " " + path);
                yield "";
            }
        };
    }

    private static String listing(String query) {
        var prefix = Stream.of(query.split("&"))
                .filter(parameter -> parameter.startsWith("prefix="))
                .map(parameter -> parameter.substring("prefix=".length()))
                .findFirst()
                .orElse("");
        return Stream.of("train/a", "train/b", "training/c", "train.tar")
                .filter(key -> key.startsWith(prefix))
                .map(key -> "<Contents><Key>" + key + "</Key><Size>4</Size></Contents>")
                .collect(Collectors.joining("", "<ListBucketResult>", "</ListBucketResult>"));
    }

    @Test
    void recursiveRemovesTheFolderAndNotKeysThatBeginAlike() {
        assertThat(node.sluice("rm", "-r", "own/train"))
                .returns(0, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.out()).startsWith("removed 2 objects"));
        assertThat(removed).containsExactlyInAnyOrder("DELETE /own/train/a", "DELETE /own/train/b");
    }

    @Test
    void recursiveOnABucketRemovesAllOfIt() {
        assertThat(node.sluice("rm", "-r", "own").out()).startsWith("removed 4 objects");
        assertThat(removed).hasSize(4);
    }

    @Test
    void dryRunRemovesNothing() {
        assertThat(node.sluice("rm", "-r", "--dry-run", "cached/train/").out())
                .isEqualTo("would remove cached/train/a\nwould remove cached/train/b\nwould remove 2 objects\n");
        assertThat(node.sluice("rm", "--dry-run", "--json", "own/train.tar").out())
                .contains("would_remove", "own/train.tar");
        assertThat(removed).isEmpty();
    }

    @Test
    void folderInTheCloudIsRemovedWithYesOnly() {
        assertThat(node.sluice("rm", "-r", "own/train", "cached/train"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("cached/train/", "s3://cloud", "--yes"));
        assertThat(removed).isEmpty();
        assertThat(node.sluice("rm", "-r", "--yes", "cached/train").exitCode()).isZero();
        assertThat(removed).hasSize(2);
    }
}
