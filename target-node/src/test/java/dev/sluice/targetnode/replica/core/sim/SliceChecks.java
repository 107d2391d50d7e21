package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What holds of slices at each moment.
final class SliceChecks {
    private final Sim sim;

    SliceChecks(Sim sim) {
        this.sim = sim;
    }

    private Optional<Disk> disk(Member member) {
        return Optional.ofNullable(sim.target(where(member.drive())).disks.get(member.drive()))
                .filter(disk -> !disk.exchanged);
    }

    /// Members that are down stay members, if fewer positions would be left than make an object.
    void areEnough(SlotRow row) {
        if (row.positions() < sim.data()) {
            throw new Violation("fewer positions are in-sync than make an object: %s", row);
        }
    }

    private boolean isSound(Disk disk) {
        return disk.alive && !disk.lossy && !sim.os();
    }

    /// Each member has its slice durably, learners too.
    void acknowledged(Target primary, int slot, ObjectKey key, ObjectVersion version, boolean delete) {
        var row = primary.view.orElseThrow().row(slot);
        for (var member : row.members()) {
            var slice = new Slice(version, member.position());
            boolean lacks = disk(member)
                    .filter(disk -> isSound(disk) && !disk.store.survives(key, slice, delete))
                    .isPresent();
            if (lacks) {
                throw new Violation("%s of %s acknowledged without %s: %s", version, key, member, row);
            }
        }
        if (row.positions() < sim.floor()) {
            throw new Violation("%s of %s acknowledged below the floor: %s", version, key, row);
        }
    }

    /// The newest acknowledged version, or a newer one, can be made; so can what the primary serves, and each in-sync
    /// member has its slice of that.
    ///
    /// @param deleted the newest deletion that any drive has committed
    void areKept(ObjectKey key, Optional<ObjectVersion> acknowledged, Optional<ObjectVersion> deleted) {
        var row = sim.log().state.row(MemoryStore.slot(key));
        var positions = new HashMap<ObjectVersion, Set<Integer>>();
        var has = new HashMap<Member, Set<ObjectVersion>>();
        for (var member : row.inSync()) {
            var versions = disk(member).map(disk -> versions(disk, key, member)).orElse(Set.of());
            has.put(member, versions);
            versions.forEach(version ->
                    positions.computeIfAbsent(version, _ -> new HashSet<>()).add(member.position()));
        }
        acknowledged.ifPresent(version -> {
            boolean kept = positions.entrySet().stream()
                    .anyMatch(each -> each.getKey().compareTo(version) >= 0
                            && each.getValue().size() >= sim.data());
            if (!kept) {
                throw new Violation("acknowledged %s of %s is lost: %s of %s", version, key, positions, row);
            }
        });
        served(key, row).filter(version -> !isOver(key, row, version, deleted)).ifPresent(version -> {
            if (positions.getOrDefault(version, Set.of()).size() < sim.data()) {
                throw new Violation(
                        "the primary serves %s of %s, of which too few slices are left: %s of %s",
                        version, key, positions, row);
            }
            hasEach(key, version, row, has);
        });
    }

    /// Whether others have committed what came after it: the primary has, too, but its drive does not show it yet.
    private boolean isOver(ObjectKey key, SlotRow row, ObjectVersion version, Optional<ObjectVersion> deleted) {
        return deleted.filter(later -> later.compareTo(version) > 0).isPresent()
                || row.inSync().stream()
                        .flatMap(member -> disk(member).stream())
                        .flatMap(disk -> disk.store.row(key).stream())
                        .anyMatch(other -> other.version().compareTo(version) > 0);
    }

    private void hasEach(ObjectKey key, ObjectVersion version, SlotRow row, Map<Member, Set<ObjectVersion>> has) {
        for (var member : row.inSync()) {
            var disk = disk(member).filter(this::isSound);
            if (disk.isPresent() && !Known.of(has, member).contains(version)) {
                throw new Violation(
                        "in-sync %s lacks its slice of %s of %s: %s %s",
                        member,
                        version,
                        key,
                        disk.get().store.row(key),
                        disk.get().store.intent(key));
            }
        }
    }

    /// Those of which it has the slice of its member's position.
    private static Set<ObjectVersion> versions(Disk disk, ObjectKey key, Member member) {
        var versions = new HashSet<ObjectVersion>();
        disk.store
                .row(key)
                .filter(row -> row.position() == member.position())
                .ifPresent(row -> versions.add(row.version()));
        disk.store
                .intent(key)
                .filter(intent -> !intent.delete() && intent.position() == member.position())
                .ifPresent(intent -> versions.add(intent.version()));
        return versions;
    }

    private Optional<ObjectVersion> served(ObjectKey key, SlotRow row) {
        int slot = MemoryStore.slot(key);
        var target = sim.target(where(row.primary().drive()));
        boolean serves = target.isRegistered()
                && target.shell
                        .serving(slot)
                        .filter(row.primary().drive()::equals)
                        .isPresent()
                && target.shell.primacy(slot, row.primary().drive()).epoch() == row.epoch();
        return serves
                ? disk(row.primary()).flatMap(disk -> disk.store.row(key)).map(Store.Row::version)
                : Optional.empty();
    }
}
