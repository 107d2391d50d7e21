package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What the controllers' log says. Each entry makes a new one; a published one is not changed.
final class LogState {
    int version = 1;
    int goal;

    /// How many slices make an object; 1 where members have whole ones.
    int data = 1;

    int lastIncarnation;
    boolean os;

    /// The same as the production planner knows it; empty while it does not plan.
    Optional<Replication> replication = Optional.empty();

    /// What controllers know of it for their promises, once somebody has asked.
    Optional<ClusterState> known = Optional.empty();

    final Map<String, String> bootIds = new LinkedHashMap<>();
    final Map<String, Integer> incarnation = new LinkedHashMap<>();
    final Map<String, Boolean> up = new LinkedHashMap<>();
    final Map<String, Integer> entry = new LinkedHashMap<>();
    final Map<String, String> nonce = new LinkedHashMap<>();
    final Map<String, String> drives = new LinkedHashMap<>();
    final Set<String> out = new LinkedHashSet<>();
    final Set<String> draining = new LinkedHashSet<>();
    final Set<String> muted = new LinkedHashSet<>();
    final Map<Integer, SlotRow> slots = new LinkedHashMap<>();
    final Map<Integer, Integer> boots = new LinkedHashMap<>();

    LogState next() {
        var next = new LogState();
        next.version = version + 1;
        next.goal = goal;
        next.data = data;
        next.os = os;
        next.replication = replication;
        next.bootIds.putAll(bootIds);
        next.lastIncarnation = lastIncarnation;
        next.incarnation.putAll(incarnation);
        next.up.putAll(up);
        next.entry.putAll(entry);
        next.nonce.putAll(nonce);
        next.drives.putAll(drives);
        next.out.addAll(out);
        next.draining.addAll(draining);
        next.muted.addAll(muted);
        next.slots.putAll(slots);
        next.boots.putAll(boots);
        return next;
    }

    /// The production planner's drives have incarnations of their own.
    int incarnationOf(String drive) {
        return replication
                .flatMap(all -> all.drives().find(drive))
                .map(DriveEntry::incarnation)
                .orElseGet(() -> Known.of(incarnation, where(drive)));
    }

    /// As the controllers look at them.
    SortedMap<NodeId, TargetEntry> targets() {
        var targets = new TreeMap<NodeId, TargetEntry>();
        up.forEach((target, isUp) -> targets.put(
                ProductionPlanner.node(target),
                new TargetEntry(
                        Known.of(incarnation, target),
                        nonce.getOrDefault(target, ""),
                        Known.of(bootIds, target),
                        isUp,
                        Known.of(entry, target),
                        muted.contains(target))));
        return targets;
    }

    SlotRow row(int slot) {
        return Known.of(slots, slot);
    }

    boolean isUp(String target) {
        return up.getOrDefault(target, false);
    }

    /// The drive's own. The model's planner knows those of targets only.
    Optional<DriveEntry> drive(String drive) {
        return replication.flatMap(known -> known.drives().find(drive));
    }

    /// Whether the drive's target is up, and the drive not out.
    boolean usable(String drive) {
        return isUp(where(drive)) && !out.contains(drive);
    }

    /// Whether a living in-sync member should ask that others go.
    boolean surplus(int slot) {
        var row = row(slot);
        int most = data > 1 ? row.positions() : goal;
        return row.inSync().size() > most || !unusable(row).isEmpty();
    }

    /// Whether it has as many usable in-sync members, of different positions where they have slices, as it is to have.
    boolean isWhole(int slot) {
        var usable = row(slot).inSync().stream()
                .filter(member -> usable(member.drive()))
                .toList();
        return (data > 1 ? SlotRow.positions(usable) : usable.size()) >= goal;
    }

    /// The in-sync members whose targets are down or whose drives are out.
    Set<String> unusable(SlotRow row) {
        return row.inSync().stream()
                .map(Member::drive)
                .filter(drive -> !usable(drive))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// The target that has a drive.
    static String where(String drive) {
        return drive.substring(0, drive.indexOf('.'));
    }
}
