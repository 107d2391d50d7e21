package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.name.NodeId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/// Time in which this controller stood still, as its periodic looks were late. Beats may lie unread then, so a target
/// is judged so much later. Two beats of one target, some time apart, that were read after a look show that none lies
/// unread from before: that look counts no more.
///
/// It has no thread and waits for nothing.
final class LateLooks {
    private static final Duration APART = Duration.ofMillis(200);
    private static final int MOST = 256;

    /// @param nanos how late it was
    private record Look(long at, long nanos) {}

    private final ArrayDeque<Look> looks = new ArrayDeque<>();
    private final Map<NodeId, Long> beats = new HashMap<>(); // of each target, the earlier one of the next two

    void late(long now, Duration by) {
        looks.addLast(new Look(now, by.toNanos()));
        if (looks.size() > MOST) {
            var first = looks.removeFirst();
            var second = looks.removeFirst();
            looks.addFirst(new Look(second.at, first.nanos + second.nanos));
        }
    }

    /// A beat was read.
    void beat(NodeId target, long now) {
        long earlier = beats.getOrDefault(target, now);
        if (now - earlier >= APART.toNanos()) {
            looks.removeIf(look -> look.at < earlier);
            beats.put(target, now);
        } else {
            beats.putIfAbsent(target, now);
        }
    }

    /// How much later than by its promise a target is judged that was heard last at this time.
    long since(long heard) {
        return looks.stream()
                .filter(look -> look.at > heard)
                .mapToLong(Look::nanos)
                .sum();
    }
}
