package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Clients that read, write with and without conditions, delete and list, one after the other, through any target.
final class Clients {
    private static final double TIMEOUT = 2500;

    private final Sim sim;
    final List<ObjectKey> keys;
    final List<Operation> operations = new ArrayList<>();
    private final Map<String, Integer> pending = new HashMap<>();

    Clients(Sim sim, List<ObjectKey> keys) {
        this.sim = sim;
        this.keys = keys;
    }

    void begin(String client) {
        var random = sim.random();
        var key = keys.get(random.nextInt(keys.size()));
        int what = random.nextInt(8);
        var condition = Operation.Condition.NONE;
        var expected = "";
        if (what < 3 && random.nextDouble() < .35) {
            var seen = operations.stream()
                    .filter(done -> done.key.equals(key)
                            && done.kind == Operation.Kind.GET
                            && done.result == Operation.Result.OK
                            && !done.read.isEmpty())
                    .toList();
            if (random.nextDouble() < .6 || seen.isEmpty()) {
                condition = Operation.Condition.ABSENT;
            } else {
                condition = Operation.Condition.MATCH;
                expected = seen.getLast().read;
            }
        }
        boolean list = what == 7;
        var wanted = list
                ? keys.stream()
                        .filter(other -> other.bucketId() == key.bucketId())
                        .toList()
                : List.of(key);
        var kind = what < 3 ? Operation.Kind.PUT : what == 6 ? Operation.Kind.DELETE : Operation.Kind.GET;
        pending.put(client, wanted.size());
        var begun = new ArrayList<Operation>();
        for (var one : wanted) {
            begun.add(operation(client, one, kind, condition, expected));
        }
        begun.forEach(this::route);
        sim.after(
                TIMEOUT,
                () -> begun.forEach(operation -> {
                    if (operation.result == Operation.Result.PENDING) {
                        answered(operation, Operation.Result.UNKNOWN, "");
                    }
                }));
    }

    /// Reads of each key when all is quiet.
    List<Operation> lastReads() {
        var reads = new ArrayList<Operation>();
        for (var key : keys) {
            for (int i = 0; i < 3; i++) {
                reads.add(operation("last", key, Operation.Kind.GET, Operation.Condition.NONE, ""));
            }
        }
        reads.forEach(this::route);
        return reads;
    }

    /// A write to each slot at the target that has its primary.
    List<Operation> writesAtPrimaries() {
        var writes = new ArrayList<Operation>();
        for (int slot : sim.log().slots()) {
            var key = keys.stream()
                    .filter(each -> MemoryStore.slot(each) == slot)
                    .findFirst()
                    .orElseThrow();
            var write = operation("cut", key, Operation.Kind.PUT, Operation.Condition.NONE, "");
            writes.add(write);
            var via = sim.target(
                    LogState.where(sim.log().state.row(slot).primary().drive()));
            via.gateway.route(write);
        }
        return writes;
    }

    private Operation operation(
            String client, ObjectKey key, Operation.Kind kind, Operation.Condition condition, String expected) {
        var operation = new Operation(operations.size(), client, key, kind, condition, expected, sim.now());
        operations.add(operation);
        return operation;
    }

    private void route(Operation operation) {
        var targets = sim.targets();
        var via = targets.get(sim.random().nextInt(targets.size()));
        if (via.isRegistered() && !via.frozen) {
            sim.trace("%s via %s", operation, via.id);
            via.gateway.route(operation);
        } else {
            answered(operation, Operation.Result.REFUSED, "");
        }
    }

    void answered(Operation operation, Operation.Result result, String value) {
        if (operation.result != Operation.Result.PENDING) {
            return;
        }
        operation.result = result;
        operation.returned = sim.now();
        operation.read = value;
        sim.trace("  %s", operation);
        if (pending.merge(operation.client, -1, Integer::sum) == 0 && sim.now() < Sim.QUIET + 3000) {
            double pause = -150 * Math.log(1 - sim.random().nextDouble());
            sim.after(50 + pause, () -> begin(operation.client));
        }
    }
}
