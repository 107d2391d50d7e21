package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The promises: safety while it runs, linearizability and liveness at the end.
final class Checks {
    private record Acknowledged(ObjectVersion version, boolean delete) {}

    private final Sim sim;
    private final SliceChecks slices;
    private final Map<ObjectKey, Acknowledged> acknowledged = new HashMap<>();
    private final Map<ObjectKey, ObjectVersion> deleted = new HashMap<>();

    /// An `os` group lost power on all drives: acknowledged writes may be gone.
    boolean mayHaveLost;

    /// Slots of which a drive had others removed, and was lost itself before the entry was written. The protocol does
    /// not cover that: the last in-sync replica is gone.
    private final Set<Integer> lost = new HashSet<>();

    private final Map<Integer, Runnable> afterNext = new HashMap<>();

    int notJudged;

    Checks(Sim sim) {
        this.sim = sim;
        this.slices = new SliceChecks(sim);
    }

    void onePrimary(int slot, Target me) {
        if (me.shell.serving(slot).isEmpty()) {
            return;
        }
        for (var other : sim.targets()) {
            if (other != me && other.isRegistered() && other.shell.serving(slot).isPresent()) {
                throw new Violation("two serving primaries of slot %d: %s, %s", slot, me.id, other.id);
            }
        }
    }

    /// @param asking the drive that asked for the removal
    void removed(int slot, String asking) {
        if (sim.data() > 1) {
            return; // it names others, and they are not lost while it waits
        }
        var disk = sim.target(where(asking)).disks.get(asking);
        if (disk == null || !disk.alive) {
            lost.add(slot);
        }
    }

    /// Who is muted is cut off, or was a while ago.
    void muted(String target) {
        if (sim.data() == 1 && !sim.network().wasDisturbed()) { // else many are away at once
            throw new Violation("%s is muted, and nothing is cut", target);
        }
    }

    void deleted(ObjectKey key, ObjectVersion version) {
        deleted.merge(key, version, (one, other) -> one.compareTo(other) > 0 ? one : other);
    }

    /// A primary has decided to acknowledge: the write is durable on as many targets as the group wants and there are.
    void acknowledged(Target primary, int slot, ObjectKey key, ObjectVersion version, boolean delete) {
        onePrimary(slot, primary);
        if (sim.data() > 1) {
            slices.acknowledged(primary, slot, key, version, delete);
        } else {
            isOnMembers(primary, slot, key, version, delete);
        }
        acknowledged.merge(
                key,
                new Acknowledged(version, delete),
                (one, other) -> one.version().compareTo(other.version()) > 0 ? one : other);
        acknowledgedIsKept();
        Optional.ofNullable(afterNext.remove(slot)).ifPresent(fault -> sim.after(sim.uniform(.5, 60), fault));
    }

    /// Soon after it.
    void afterNextAcknowledgement(int slot, Runnable fault) {
        afterNext.put(slot, fault);
    }

    private void isOnMembers(Target primary, int slot, ObjectKey key, ObjectVersion version, boolean delete) {
        var state = primary.view.orElseThrow();
        var row = state.row(slot);
        var have = new HashSet<String>();
        for (var member : row.members()) {
            if (has(member, key, version, delete)) {
                have.add(where(member.drive()));
            }
        }
        var avoided = sim.log().takenOff(slot);
        var could = state.drives.keySet().stream()
                .filter(drive ->
                        state.usable(drive) && !state.draining.contains(where(drive)) && !avoided.contains(drive))
                .map(LogState::where)
                .collect(Collectors.toSet());
        var targets = row.members().stream().map(m -> where(m.drive())).collect(Collectors.toSet());
        boolean mayLackMembers = !avoided.isEmpty() || sim.network().wasDisturbed(); // one not heard is not chosen
        int least = Math.min(Math.min(state.goal, could.size()), mayLackMembers ? targets.size() : 9);
        if (have.size() < least) {
            throw new Violation("%s of %s acknowledged on %s only: %s", version, key, have, row);
        }
    }

    private boolean has(Member member, ObjectKey key, ObjectVersion version, boolean delete) {
        var target = sim.target(where(member.drive()));
        var disk = target.disks.get(member.drive());
        boolean sameLife = target.isUp() && disk != null && disk.incarnation == member.incarnation();
        if (disk == null || !disk.alive || disk.lossy || (sim.os() && !sameLife)) {
            return true; // it had, and was wiped since, or its power was cut
        }
        if (!sim.os()) {
            return disk.store.survives(key, new Slice(version, member.position()), delete);
        }
        var row = disk.store.row(key);
        return disk.store
                        .intent(key)
                        .filter(intent -> intent.version().equals(version))
                        .isPresent()
                || row.filter(found -> found.version().compareTo(version) >= 0).isPresent()
                || (delete && row.isEmpty());
    }

    /// Every in-sync member that lives has every acknowledged write.
    void acknowledgedIsKept() {
        if (sim.data() > 1) {
            sim.log().slots().forEach(slot -> slices.areEnough(sim.log().state.row(slot)));
        }
        if (mayHaveLost) {
            return;
        }
        if (sim.data() > 1) {
            sim.clients().keys.forEach(key -> slices.areKept(key, newest(key), Optional.ofNullable(deleted.get(key))));
        }
        acknowledged.forEach((key, write) -> {
            for (var member : sim.log().state.row(MemoryStore.slot(key)).inSync()) {
                var target = sim.target(where(member.drive()));
                var disk = target.disks.get(member.drive());
                boolean sameLife = target.isUp() && disk != null && disk.incarnation == member.incarnation();
                if (sameLife && disk != null && disk.alive && !keeps(disk.store, key, write)) {
                    throw new Violation(
                            "in-sync %s lacks acknowledged %s of %s: %s %s",
                            member, write, key, disk.store.row(key), disk.store.intent(key));
                }
            }
        });
    }

    /// The version of the newest acknowledged put, if no later deletion is known.
    private Optional<ObjectVersion> newest(ObjectKey key) {
        return Optional.ofNullable(acknowledged.get(key))
                .filter(write -> !write.delete())
                .map(Acknowledged::version)
                .filter(version -> deleted.getOrDefault(key, version).compareTo(version) <= 0);
    }

    private boolean keeps(Store store, ObjectKey key, Acknowledged write) {
        var row = store.row(key);
        var version = write.version();
        return row.filter(found -> found.version().compareTo(version) >= 0).isPresent()
                || store.intent(key)
                        .filter(intent -> intent.version().compareTo(version) >= 0)
                        .isPresent()
                || (row.isEmpty()
                        && (write.delete() || deleted.getOrDefault(key, version).compareTo(version) > 0));
    }

    // -- the end

    void converged() {
        var state = sim.log().state;
        var could = state.drives.keySet().stream()
                .filter(drive -> state.usable(drive) && !state.draining.contains(where(drive)))
                .map(LogState::where)
                .collect(Collectors.toSet());
        if (!state.muted.isEmpty()) {
            throw new Violation("liveness: %s stay muted", state.muted);
        }
        for (int slot : state.slots.keySet()) {
            if (lost.contains(slot)) {
                continue;
            }
            var row = state.row(slot);
            boolean learners = row.members().stream().anyMatch(member -> !member.inSync());
            if (sim.data() > 1 && row.positions() < row.inSync().size()) {
                throw new Violation("liveness: members of slot %d have the same position: %s", slot, row);
            }
            if (row.inSync().size() < Math.min(state.goal, could.size()) || learners) {
                throw new Violation("liveness: slot %d stays at %s", slot, row);
            }
            var primary = row.primary().drive();
            if (sim.target(where(primary)).shell.serving(slot).isEmpty()) {
                throw new Violation("liveness: slot %d is not served: %s", slot, row);
            }
            for (var key : sim.clients().keys) {
                if (MemoryStore.slot(key) == slot && !sim.isWild()) {
                    row.inSync().forEach(member -> agree(key, primary, member));
                }
            }
        }
    }

    private void agree(ObjectKey key, String primary, Member member) {
        var source = store(primary);
        var drive = member.drive();
        var store = store(drive);
        var wanted = source.row(key).map(row -> new Store.Row(row.version(), row.value(), member.position()));
        if (!store.row(key).equals(wanted) || store.intent(key).isPresent()) {
            throw new Violation(
                    "in-sync members disagree on %s: %s %s, %s %s %s",
                    key, primary, source.row(key), drive, store.row(key), store.intent(key));
        }
    }

    private Store store(String drive) {
        return Known.of(sim.target(where(drive)).disks, drive).store;
    }

    void explained(List<Operation> lastReads) {
        for (var key : sim.clients().keys) {
            boolean read = lastReads.stream()
                    .anyMatch(operation -> operation.key.equals(key) && operation.result == Operation.Result.OK);
            if (!read && !sim.isWild() && !lost.contains(MemoryStore.slot(key))) {
                throw new Violation("liveness: the last reads of %s fail", key);
            }
            if (mayHaveLost) {
                continue;
            }
            var history = sim.clients().operations.stream()
                    .filter(operation -> operation.key.equals(key))
                    .toList();
            switch (Linearizability.judge(history)) {
                case NOT_EXPLAINED -> throw new Violation("not linearizable: %s", key);
                case TOO_LARGE -> notJudged++;
                case EXPLAINED -> {}
            }
        }
    }
}
