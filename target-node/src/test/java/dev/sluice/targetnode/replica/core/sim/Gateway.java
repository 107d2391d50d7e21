package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Serving;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Requests of clients at one target process: it relays them to the primary, and serves those of its own slots.
final class Gateway {
    private record Relayed(Operation operation, String to) {}

    private record Request(String via, Operation operation) {}

    private static final int TRIES = 3;

    private final Target target;
    private final Sim sim;
    private final Map<Integer, Relayed> relayed = new LinkedHashMap<>();
    private final Map<Long, Request> writes = new HashMap<>();
    private final Map<Long, String> writtenAt = new TreeMap<>();
    private final Set<Long> shortOfPositions = new HashSet<>();

    /// Locked keys, with those who wait.
    private final Map<ObjectKey, Deque<Request>> locks = new HashMap<>();

    Gateway(Target target) {
        this.target = target;
        this.sim = target.sim;
    }

    // -- relay

    void route(Operation operation) {
        if (target.view.isEmpty()) {
            sim.clients().answered(operation, Operation.Result.REFUSED, "");
            return;
        }
        var to = where(
                target.view.get().row(MemoryStore.slot(operation.key)).primary().drive());
        relayed.put(operation.id, new Relayed(operation, to));
        sim.network()
                .request(
                        target.id,
                        to,
                        node -> node.gateway.request(new Request(target.id, operation)),
                        () -> answer(to, target.id, operation, Operation.Result.REFUSED, ""));
    }

    /// A read follows the map when the primary changes; what became of a write is unknown.
    void follow(LogState state) {
        for (var relay : List.copyOf(relayed.values())) {
            var operation = relay.operation();
            var primary =
                    where(state.row(MemoryStore.slot(operation.key)).primary().drive());
            if (!primary.equals(relay.to())) {
                relayed.remove(operation.id);
                if (operation.kind == Operation.Kind.GET || sim.breaks("w_relay")) {
                    route(operation);
                } else {
                    sim.clients().answered(operation, Operation.Result.UNKNOWN, "");
                }
            }
        }
    }

    private void answer(String from, String via, Operation operation, Operation.Result result, String value) {
        sim.network()
                .send(
                        from,
                        via,
                        () -> sim.target(via).deliver(node -> node.gateway.answered(operation, result, value)),
                        false);
    }

    private void answer(Request request, Operation.Result result, String value) {
        answer(target.id, request.via(), request.operation(), result, value);
    }

    private void answered(Operation operation, Operation.Result result, String value) {
        if (relayed.remove(operation.id) != null) {
            sim.clients().answered(operation, result, value);
        }
    }

    // -- at the primary

    private void request(Request request) {
        var operation = request.operation();
        int slot = MemoryStore.slot(operation.key);
        var drive = target.shell.serving(slot);
        if (drive.isEmpty()) {
            answer(request, Operation.Result.REFUSED, "");
        } else if (operation.kind == Operation.Kind.GET && sim.data() > 1) {
            readSlices(request, drive.get(), target.shell.primacy(slot, drive.get()), TRIES);
        } else if (operation.kind == Operation.Kind.GET) {
            var primacy = target.shell.primacy(slot, drive.get());
            var row = Known.of(target.disks, drive.get()).store.row(operation.key);
            double delay = sim.random().nextBoolean() ? .1 : 3;
            target.after(
                    delay,
                    () -> read(
                            request,
                            drive.get(),
                            primacy,
                            row.map(Store.Row::value).orElse("")));
        } else if (operation.kind == Operation.Kind.PUT && sim.data() > 1) {
            body(request, drive.get(), target.shell.primacy(slot, drive.get()));
        } else {
            enter(request);
        }
    }

    private void enter(Request request) {
        var key = request.operation().key;
        if (locks.containsKey(key)) {
            locks.get(key).add(request);
        } else {
            locks.put(key, new ArrayDeque<>());
            judge(request);
        }
    }

    /// The slices of a body go to the members as it comes. With too few of them at its end nothing is prepared.
    private void body(Request request, String drive, Serving begun) {
        int slot = MemoryStore.slot(request.operation().key);
        var whole = new HashSet<Integer>();
        target.slices.send(slot, drive, request.operation().value, whole);
        target.after(sim.random().nextBoolean() ? 20 : 400, () -> {
            if (whole.size() < sim.data() || !serves(slot, drive, begun)) {
                answer(request, Operation.Result.REFUSED, "");
            } else {
                enter(request);
            }
        });
    }

    private boolean serves(int slot, String drive, Serving since) {
        var now = target.shell.primacy(slot, drive);
        return now.open()
                && now.primarySince() == since.primarySince()
                && target.shell.serving(slot).filter(drive::equals).isPresent();
    }

    /// The version is that of the primary's row: slices of just that one, or no answer.
    private void readSlices(Request request, String drive, Serving looked, int tries) {
        var operation = request.operation();
        int slot = MemoryStore.slot(operation.key);
        var name = "get " + operation.id;
        if (tries == 0 || !serves(slot, drive, looked)) {
            target.slices.giveUp(name);
            answer(request, Operation.Result.REFUSED, "");
            return;
        }
        var row = Known.of(target.disks, drive).store.row(operation.key);
        if (row.isEmpty()) {
            read(request, drive, looked, "");
            return;
        }
        var version = row.get().version();
        var value = row.get().value();
        target.after(250, () -> {
            if (target.slices.gathers(name)) {
                readSlices(request, drive, looked, tries - 1);
            }
        });
        var wanted = new Slices.Wanted(slot, drive, operation.key, version, value, Slices.OBJECT);
        target.slices.gather(name, wanted, new Slices.Ending() {
            @Override
            public void whole(Set<ObjectVersion> versions) {
                read(request, drive, looked, versions.equals(Set.of(version)) ? value : "mixed");
            }

            @Override
            public boolean tooFew(boolean allAnswered) {
                return false; // overwritten meanwhile, or members are away
            }
        });
    }

    /// The check comes after the look.
    private void read(Request request, String drive, Serving looked, String value) {
        int slot = MemoryStore.slot(request.operation().key);
        boolean serves = serves(slot, drive, looked);
        if (serves) {
            sim.checks().onePrimary(slot, target);
        }
        answer(request, serves ? Operation.Result.OK : Operation.Result.REFUSED, serves ? value : "");
    }

    /// Judges the conditions under the key's lock.
    private void judge(Request request) {
        var operation = request.operation();
        int slot = MemoryStore.slot(operation.key);
        var drive = target.shell.serving(slot);
        boolean tooFew = sim.data() > 1
                && drive.filter(at -> target.shell.positions(slot, at) >= sim.floor())
                        .isEmpty();
        if (drive.isEmpty() || tooFew) {
            answer(request, Operation.Result.REFUSED, "");
            unlock(operation.key);
            return;
        }
        var value = Known.of(target.disks, drive.get())
                .store
                .row(operation.key)
                .map(Store.Row::value)
                .orElse("");
        if (!operation.holds(value)) {
            answer(request, Operation.Result.CONDITION_FAILED, "");
            unlock(operation.key);
        } else if (operation.kind == Operation.Kind.DELETE && value.isEmpty()) {
            answer(request, Operation.Result.OK, "");
            unlock(operation.key);
        } else {
            long ticket = operation.id + 1L;
            writes.put(ticket, request);
            writtenAt.put(ticket, drive.get());
            target.shell.write(slot, drive.get(), ticket, operation.key, isDelete(ticket));
        }
    }

    /// A drive has left: nobody can say what became of its writes.
    void abandon(String drive) {
        for (var write : Map.copyOf(writtenAt).entrySet()) {
            if (write.getValue().equals(drive)) {
                ended(write.getKey(), Action.Outcome.UNKNOWN);
            }
        }
    }

    String bytes(long ticket) {
        return Known.of(writes, ticket).operation().value;
    }

    boolean isDelete(long ticket) {
        return Known.of(writes, ticket).operation().kind == Operation.Kind.DELETE;
    }

    /// The slot had too few positions when it was committed.
    void isShort(long ticket) {
        shortOfPositions.add(ticket);
    }

    void ended(long ticket, Action.Outcome outcome) {
        var request = Known.of(writes, ticket);
        writes.remove(ticket);
        writtenAt.remove(ticket);
        var result = switch (outcome) {
            case COMMITTED -> shortOfPositions.remove(ticket) ? Operation.Result.UNKNOWN : Operation.Result.OK;
            case FAILED -> Operation.Result.REFUSED;
            case UNKNOWN -> Operation.Result.UNKNOWN;
        };
        answer(request, result, "");
        unlock(request.operation().key);
    }

    private void unlock(ObjectKey key) {
        var next = Known.of(locks, key).poll();
        if (next == null) {
            locks.remove(key);
        } else {
            judge(next);
        }
    }
}
