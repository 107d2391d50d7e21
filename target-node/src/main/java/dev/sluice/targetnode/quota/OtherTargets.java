package dev.sluice.targetnode.quota;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.store.StoreException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// What buckets take on the other targets, as each of them last said. A target that does not answer counts with what it
/// said before, and with nothing if it never did.
final class OtherTargets {
    /// How another target is asked; blocks.
    interface Ask {
        /// @throws StoreException when it does not answer
        List<BucketUsage> usage(Node target, List<Long> bucketIds);
    }

    private record Heard(long nanos, Set<Long> buckets, Map<NodeId, Map<Long, Long>> bytes) {}

    private final Supplier<Collection<Node>> others;
    private final Ask ask;
    private volatile Heard heard = new Heard(System.nanoTime(), Set.of(), Map.of());

    /// @param self which is none of them
    OtherTargets(NodeId self, Supplier<Collection<Node>> nodes, Ask ask) {
        this.others = () -> nodes.get().stream()
                .filter(node -> node.role() == Role.TARGET && !node.id().equals(self))
                .toList();
        this.ask = ask;
    }

    /// What counts against the quota of a bucket elsewhere. Never blocks.
    long bytes(long bucketId) {
        var now = heard.bytes;
        return others.get().stream()
                .mapToLong(node -> now.getOrDefault(node.id(), Map.of()).getOrDefault(bucketId, 0L))
                .sum();
    }

    /// Whether all have been asked about this bucket, whatever they answered.
    boolean wereAsked(long bucketId) {
        return heard.buckets.contains(bucketId) || others.get().isEmpty();
    }

    /// When the latest round of questions began, by the clock of [System#nanoTime]; now, when there is nobody to ask.
    long heardAt() {
        return others.get().isEmpty() ? System.nanoTime() : heard.nanos;
    }

    /// Asks all of them at once, and waits for them.
    synchronized void ask(List<Long> bucketIds) {
        long begun = System.nanoTime();
        var bytes = new HashMap<NodeId, Map<Long, Long>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new HashMap<NodeId, Future<List<BucketUsage>>>();
            for (var node : others.get()) {
                answers.put(node.id(), threads.submit(() -> ask.usage(node, bucketIds)));
            }
            for (var each : answers.entrySet()) {
                var before = heard.bytes.getOrDefault(each.getKey(), Map.of());
                bytes.put(each.getKey(), heard(each.getValue(), before));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
        heard = new Heard(begun, Set.copyOf(bucketIds), bytes);
    }

    private static Map<Long, Long> heard(Future<List<BucketUsage>> answer, Map<Long, Long> before)
            throws InterruptedException {
        try {
            return answer.get().stream().collect(Collectors.toMap(BucketUsage::bucketId, BucketUsage::allBytes));
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof StoreException) {
                return before;
            }
            throw new IllegalStateException("asking another target", Objects.requireNonNull(failed.getCause()));
        }
    }
}
