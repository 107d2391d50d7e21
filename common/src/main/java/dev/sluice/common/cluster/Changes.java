package dev.sluice.common.cluster;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Several changes in one entry: all of them have their effect, or none.
public record Changes(List<Change> changes) implements LogEntry {
    public Changes {
        changes = List.copyOf(changes);
    }

    /// Of what each change has whole, the newest is kept only: nobody sees a state between them.
    public static LogEntry of(List<Change> changes) {
        if (changes.size() == 1) {
            return changes.getFirst();
        }
        var kept = new ArrayDeque<Change>();
        boolean map = false;
        boolean small = false;
        for (var change : changes.reversed()) {
            kept.addFirst(new Change(
                    change.ifVersion(),
                    change.map().filter(unless(map)),
                    change.buckets(),
                    change.small().filter(unless(small)),
                    change.rows(),
                    change.jobs()));
            map |= change.map().isPresent();
            small |= change.small().isPresent();
        }
        return new Changes(List.copyOf(kept));
    }

    private static <T> Predicate<T> unless(boolean replaced) {
        return _ -> !replaced;
    }

    @Override
    public Optional<ClusterState> appliedTo(Optional<ClusterState> state) {
        var now = state;
        for (var change : changes) {
            now = change.appliedTo(now);
        }
        return now;
    }
}
