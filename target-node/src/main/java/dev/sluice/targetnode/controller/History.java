package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.LoggedChange;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/// The newest changes, for the nodes that watch: as many as their rows are few enough.
final class History {
    private static final int MOST_CHANGES = 1024;
    private static final int MOST_ROWS = 1 << 19;

    private final ArrayDeque<LoggedChange> changes = new ArrayDeque<>();
    private int rows;

    synchronized void add(Change change) {
        changes.addLast(new LoggedChange(change));
        rows += change.size();
        while (changes.size() > MOST_CHANGES || rows > MOST_ROWS) {
            rows -= changes.removeFirst().change().size();
        }
    }

    /// The next change does not come after the last one.
    synchronized void clear() {
        changes.clear();
        rows = 0;
    }

    /// The changes after this version; empty when some of them are forgotten, or there are none.
    synchronized Optional<List<LoggedChange>> since(long version) {
        if (changes.isEmpty() || changes.peekFirst().change().ifVersion() > version) {
            return Optional.empty();
        }
        var newer = changes.stream()
                .filter(logged -> logged.change().ifVersion() >= version)
                .toList();
        return newer.isEmpty() ? Optional.empty() : Optional.of(newer);
    }
}
