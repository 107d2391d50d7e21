package dev.sluice.targetnode.coldfill;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/// What clients did with one key and saw of it, and whether one order of it all explains that: each operation at some
/// moment between its call and its answer, every read seeing the latest write (Wing and Gong's search, remembering dead
/// ends). For up to 64 operations.
final class History {
    /// @param value what was written or seen; empty for "not there"
    private record Operation(boolean write, Optional<Integer> value, int called, int answered) {}

    private record State(long done, Optional<Integer> value) {}

    private final AtomicInteger clock = new AtomicInteger();
    private final List<Operation> operations = new ArrayList<>();

    int call() {
        return clock.incrementAndGet();
    }

    synchronized void wrote(int called, Optional<Integer> value) {
        operations.add(new Operation(true, value, called, clock.incrementAndGet()));
    }

    synchronized void read(int called, Optional<Integer> value) {
        operations.add(new Operation(false, value, called, clock.incrementAndGet()));
    }

    boolean isLinearizable(Optional<Integer> first) {
        return search(0, first, new HashSet<>());
    }

    private boolean search(long done, Optional<Integer> value, Set<State> dead) {
        if (Long.bitCount(done) == operations.size()) {
            return true;
        }
        if (!dead.add(new State(done, value))) {
            return false;
        }
        int earliestAnswer = Integer.MAX_VALUE;
        for (int i = 0; i < operations.size(); i++) {
            if ((done & 1L << i) == 0) {
                earliestAnswer = Math.min(earliestAnswer, operations.get(i).answered);
            }
        }
        for (int i = 0; i < operations.size(); i++) {
            var next = operations.get(i);
            boolean mayBeNext = (done & 1L << i) == 0 && next.called < earliestAnswer;
            if (mayBeNext
                    && (next.write || next.value.equals(value))
                    && search(done | 1L << i, next.write ? next.value : value, dead)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        var lines = new StringBuilder();
        operations.stream()
                .sorted(java.util.Comparator.comparingInt(Operation::called))
                .forEach(each -> lines.append('\n').append(each));
        return lines.toString();
    }
}
