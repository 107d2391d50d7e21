package dev.sluice.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// `/v1/usage/BUCKET`: what a bucket takes, in all and on each target. A target that does not answer is an `error` in
/// its place, and not in the sum.
final class UsageCalls {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClusterViews views;
    private final Targets targets;

    UsageCalls(ClusterViews views, Targets targets) {
        this.views = views;
        this.targets = targets;
    }

    JsonNode usage(Bucket bucket) {
        var shown = JSON.createObjectNode()
                .put("bucket", bucket.name())
                .put("quota", bucket.properties().quota().orElse(null));
        var each = asked(bucket);
        for (var figure : List.of("objects", "bytes", "uploading", "reserved")) {
            shown.put(
                    figure,
                    each.stream()
                            .mapToLong(answer -> answer.path(figure).asLong())
                            .sum());
        }
        shown.putArray("targets").addAll(each);
        return shown;
    }

    private List<ObjectNode> asked(Bucket bucket) {
        var answers = new ArrayList<ObjectNode>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<ObjectNode>>();
            for (var node : views.current().routing().targets()) {
                running.add(threads.submit(() -> answerOf(node, bucket)));
            }
            for (var each : running) {
                answers.add(each.get());
            }
            return answers;
        } catch (ExecutionException bug) {
            throw new IllegalStateException("asking the targets", bug.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
    }

    private ObjectNode answerOf(Node node, Bucket bucket) {
        var answer = JSON.createObjectNode().put("target", node.id().value());
        try {
            targets.of(node).usage(List.of(bucket.id())).forEach(usage -> show(usage, answer));
        } catch (StoreException failure) {
            answer.put("error", failure.getMessage());
        }
        return answer;
    }

    private static void show(BucketUsage usage, ObjectNode answer) {
        answer.put("objects", usage.objects())
                .put("bytes", usage.bytes())
                .put("uploading", usage.uploading())
                .put("reserved", usage.reserved());
    }
}
