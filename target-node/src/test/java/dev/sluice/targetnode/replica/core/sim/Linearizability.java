package dev.sluice.targetnode.replica.core.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Whether some order of a key's operations explains all answers: all states (value, operations that took effect and
/// have not returned) are followed through the history.
final class Linearizability {
    private static final int MOST_STATES = 60_000;

    private record State(String value, Set<Integer> done) {}

    private record Moment(double at, boolean returns, Operation operation) {}

    private Linearizability() {}

    enum Verdict {
        EXPLAINED,
        NOT_EXPLAINED,
        TOO_LARGE
    }

    static Verdict judge(List<Operation> history) {
        var moments = new ArrayList<Moment>();
        for (var operation : history) {
            boolean answered =
                    operation.result == Operation.Result.OK || operation.result == Operation.Result.CONDITION_FAILED;
            boolean noEffect =
                    operation.result == Operation.Result.REFUSED || (operation.kind == Operation.Kind.GET && !answered);
            if (!noEffect) {
                moments.add(new Moment(operation.invoked, false, operation));
                if (answered) {
                    moments.add(new Moment(operation.returned, true, operation));
                }
            }
        }
        moments.sort(Comparator.comparingDouble(Moment::at)
                .thenComparing(Moment::returns)
                .thenComparingInt(moment -> moment.operation().id));
        Set<State> states = Set.of(new State("", Set.of()));
        var open = new ArrayList<Operation>();
        for (var moment : moments) {
            if (!moment.returns()) {
                open.add(moment.operation());
                continue;
            }
            var next = after(states, open, moment.operation());
            if (next.isEmpty()) {
                return Verdict.NOT_EXPLAINED;
            }
            if (next.size() > MOST_STATES) {
                return Verdict.TOO_LARGE;
            }
            open.remove(moment.operation());
            states = next;
        }
        return Verdict.EXPLAINED;
    }

    /// The states in which the operation has taken effect.
    private static Set<State> after(Set<State> states, List<Operation> open, Operation returning) {
        var todo = new ArrayDeque<>(states);
        var seen = new HashSet<>(states);
        var good = new HashSet<State>();
        while (!todo.isEmpty() && seen.size() <= MOST_STATES) {
            var state = todo.poll();
            if (state.done().contains(returning.id)) {
                var rest = new TreeSet<>(state.done());
                rest.remove(returning.id);
                good.add(new State(state.value(), rest));
                continue;
            }
            for (var operation : open) {
                if (!state.done().contains(operation.id) && possible(state.value(), operation)) {
                    var done = new TreeSet<>(state.done());
                    done.add(operation.id);
                    var value = changes(operation) ? operation.value : state.value();
                    var next = new State(value, done);
                    if (seen.add(next)) {
                        todo.add(next);
                    }
                }
            }
        }
        return seen.size() > MOST_STATES ? seen : good;
    }

    private static boolean changes(Operation operation) {
        return operation.kind != Operation.Kind.GET && operation.result != Operation.Result.CONDITION_FAILED;
    }

    private static boolean possible(String value, Operation operation) {
        if (operation.kind == Operation.Kind.GET) {
            return value.equals(operation.read);
        }
        return operation.holds(value) != (operation.result == Operation.Result.CONDITION_FAILED);
    }
}
