package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.Changes;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.judge.LeaderMemory;
import dev.sluice.targetnode.controller.log.Consensus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Plans commands one after the other, and logs those that waited for the last entry as the next one.
final class CommandQueue {
    /// Of one entry; what waits beyond is the next one.
    private static final int MOST_COMMANDS = 256;

    private static final int MOST_ROWS = 1 << 14;

    /// How often commands are planned again because another entry came first.
    private static final int ATTEMPTS = 3;

    private final Consensus log;
    private final LeaderMemory memory;
    private final Supplier<ClusterState> state;
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();

    /// @param state what this controller has applied
    CommandQueue(Consensus log, LeaderMemory memory, Supplier<ClusterState> state) {
        this.log = log;
        this.memory = memory;
        this.state = state;
    }

    private static final class Waiting {
        private final Command command;
        private Optional<ClusterState> before = Optional.empty();
        private Optional<ClusterState> after = Optional.empty();
        private Optional<RuntimeException> failure = Optional.empty();

        /// Guarded by the queue's monitor.
        private boolean settled;

        Waiting(Command command) {
            this.command = command;
        }

        void begin() {
            before = Optional.empty();
            after = Optional.empty();
            failure = Optional.empty();
        }

        void fail(RuntimeException why) {
            after = Optional.empty();
            failure = Optional.of(why);
        }
    }

    /// The state after the command, when the log has it. What is refused is refused by the newest state.
    ClusterState apply(Command command) {
        var mine = new Waiting(command);
        synchronized (queue) {
            queue.addLast(mine);
        }
        synchronized (this) {
            while (!isSettled(mine)) { // somebody before may have logged it
                var batch = next();
                try {
                    log(batch);
                } finally {
                    settle(batch);
                }
            }
        }
        if (mine.failure.isPresent()) {
            throw mine.failure.get();
        }
        return mine.after.orElseThrow();
    }

    /// How many commands wait for the next entry.
    int waiting() {
        synchronized (queue) {
            return queue.size();
        }
    }

    private boolean isSettled(Waiting one) {
        synchronized (queue) {
            return one.settled;
        }
    }

    private List<Waiting> next() {
        synchronized (queue) {
            var batch = new ArrayList<Waiting>();
            while (!queue.isEmpty() && batch.size() < MOST_COMMANDS) {
                batch.add(queue.removeFirst());
            }
            return batch;
        }
    }

    /// Those that were not logged with the others come first in the next entry.
    private void settle(List<Waiting> batch) {
        synchronized (queue) {
            for (var one : batch.reversed()) {
                if (one.after.isPresent() || one.failure.isPresent()) {
                    one.settled = true;
                } else {
                    queue.addFirst(one);
                }
            }
        }
    }

    private void log(List<Waiting> batch) {
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                if (hasLogged(batch)) {
                    batch.forEach(one ->
                            one.after.ifPresent(after -> memory.made(one.command, one.before.orElseThrow(), after)));
                    return;
                }
            }
            batch.forEach(one -> one.fail(new StoreException.Unavailable("another change came first; try again")));
        } catch (RuntimeException why) {
            batch.forEach(one -> one.fail(why));
        }
    }

    private boolean hasLogged(List<Waiting> batch) {
        var first = state.get();
        memory.followFullDrives(first.replication());
        var changes = planned(batch, first);
        if (changes.isEmpty()) {
            log.requireUsable();
            return state.get().version() == first.version();
        }
        return log.propose(Changes.of(changes));
    }

    /// Each from the state after the one before it.
    private List<Change> planned(List<Waiting> batch, ClusterState first) {
        var changes = new ArrayList<Change>();
        var now = first;
        int rows = 0;
        batch.forEach(Waiting::begin);
        for (var one : batch) {
            if (rows >= MOST_ROWS) {
                return changes;
            }
            one.before = Optional.of(now);
            try {
                var change = Planner.plan(now, one.command, memory);
                if (change.isPresent()) {
                    now = now.apply(change.get()).orElseThrow();
                    changes.add(change.get());
                    rows += change.get().size();
                }
                one.after = Optional.of(now);
            } catch (RuntimeException refused) {
                one.fail(refused);
            }
        }
        return changes;
    }
}
