package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Which controllers hear which targets, by what they report. A leader that a target is cut off from hands over to one
/// that hears it: only a leader that answers its heartbeats lets a primary have a member leave.
///
/// It has no thread and waits for nothing.
public final class LeaderReachability {
    /// How long a word counts.
    private static final Duration FRESH = Duration.ofSeconds(1);

    /// A report that ended so long ago says nothing any more. A target that is not heard is reported every two seconds,
    /// for the others trust it.
    private static final Duration LATELY = Duration.ofSeconds(5);

    /// How long the leader is to have reported a target, again and again.
    private static final Duration SURELY = Duration.ofSeconds(2);

    private record Missed(long first, long last) {}

    private record Word(long at, Map<NodeId, Missed> missed) {}

    private final NanoClock clock;
    private final Map<NodeId, Word> words = new HashMap<>();

    public LeaderReachability(NanoClock clock) {
        this.clock = clock;
    }

    public synchronized void heard(ControllerStatus word) {
        long now = clock.nanos();
        var before = Optional.ofNullable(words.get(word.controller()))
                .map(Word::missed)
                .orElse(Map.of());
        var missed = new HashMap<NodeId, Missed>();
        before.forEach((target, report) -> {
            if (now - report.last() < LATELY.toNanos()) {
                missed.put(target, report);
            }
        });
        word.lapsed()
                .keySet()
                .forEach(target -> missed.merge(
                        target, new Missed(now, now), (first, last) -> new Missed(first.first(), last.last())));
        words.put(word.controller(), new Word(now, missed));
    }

    /// A controller that has missed fewer targets lately than this one surely has.
    public synchronized Optional<NodeId> better(NodeId self) {
        long now = clock.nanos();
        long own = Optional.ofNullable(words.get(self)).stream()
                .flatMap(word -> word.missed().values().stream())
                .filter(report ->
                        now - report.last() < LATELY.toNanos() && report.last() - report.first() >= SURELY.toNanos())
                .count();
        return words.entrySet().stream()
                .filter(each ->
                        !each.getKey().equals(self) && now - each.getValue().at() < FRESH.toNanos())
                .filter(each -> each.getValue().missed().size() < own)
                .min(Comparator.comparingInt(each -> each.getValue().missed().size()))
                .map(Map.Entry::getKey);
    }
}
