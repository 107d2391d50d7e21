package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.ClusterMap;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.DriveTable;
import dev.sluice.common.cluster.slots.Interner;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// The next state of targets, drives and slots, while it is planned. For one thread.
final class NextState {
    private final Replication before;
    private final ClusterMap map;
    private final TreeMap<NodeId, TargetEntry> targets;
    private final TreeMap<NodeId, Integer> controllers;
    private final TreeMap<String, DriveEntry> drives;
    private final TreeSet<String> forgotten;
    private final Map<Integer, SlotRow[]> rows = new HashMap<>();
    private final Interner interner = new Interner();
    private int lastIncarnation;
    private DriveTable driveTable;

    NextState(Replication before, ClusterMap map) {
        this.before = before;
        this.map = map;
        this.targets = new TreeMap<>(before.targets());
        this.controllers = new TreeMap<>(before.controllers());
        this.drives = new TreeMap<>(before.drives().entries());
        this.forgotten = new TreeSet<>(before.forgotten());
        this.driveTable = before.drives();
        this.lastIncarnation = before.lastIncarnation();
    }

    int newIncarnation() {
        return ++lastIncarnation;
    }

    void put(NodeId target, TargetEntry entry) {
        targets.put(target, entry);
    }

    void put(NodeId controller, int boot) {
        controllers.put(controller, boot);
    }

    void put(String drive, DriveEntry entry) {
        drives.put(drive, entry);
    }

    /// The drive takes no part ever again.
    void forget(String drive) {
        forgotten.add(drive);
        drives.computeIfPresent(drive, (_, entry) -> entry.withOut());
    }

    /// Forgotten drives that no row names go.
    void removeForgotten() {
        var named = new HashSet<String>();
        for (int group : before.groups().keySet()) {
            for (int slot = 0; slot < table(group).size(); slot++) {
                var row = row(group, slot);
                row.members().forEach(member -> named.add(member.drive()));
                named.addAll(row.fence());
            }
        }
        drives.keySet().removeIf(drive -> forgotten.contains(drive) && !named.contains(drive));
    }

    Set<String> forgotten() {
        return forgotten;
    }

    Map<String, DriveEntry> drives() {
        return drives;
    }

    /// What rules ask about a drive.
    ///
    /// @param usable whether its target is up, and the drive not out
    /// @param incarnation the drive's
    record Place(NodeId target, boolean usable, int incarnation) {}

    /// Of every drive that was ever registered, as the targets and drives are now.
    Map<String, Place> places() {
        var places = new HashMap<String, Place>();
        drives.forEach((drive, entry) -> {
            var target = target(entry.target());
            places.put(drive, new Place(entry.target(), target.up() && !entry.out(), entry.incarnation()));
        });
        return places;
    }

    private TargetEntry target(NodeId id) {
        return Objects.requireNonNull(targets.get(id));
    }

    private SlotTable table(int group) {
        return Objects.requireNonNull(before.tables().get(group));
    }

    /// With the targets and drives as they are now.
    DesiredReplicas goals(Predicate<String> usable) {
        return new DesiredReplicas(driveTable(), usable, map);
    }

    boolean has(int group, int slot) {
        return before.groups().containsKey(group)
                && slot >= 0
                && slot < table(group).size();
    }

    /// The same object until a drive changes: it may have its ranking.
    private DriveTable driveTable() {
        if (!driveTable.entries().equals(drives)) {
            driveTable = before.drives().with(drives);
        }
        return driveTable;
    }

    SlotRow row(int group, int slot) {
        var changed = rows.get(group);
        return changed == null ? table(group).row(slot) : changed[slot];
    }

    Interner interner() {
        return interner;
    }

    @SuppressWarnings("ReferenceEquality") // the memo returns the same object when nothing changes
    void change(int group, int slot, Wanted wanted, RowMemo memo) {
        var old = row(group, slot);
        var changed = memo.apply(old, wanted);
        if (changed != old) {
            rows.computeIfAbsent(group, id -> table(id).copy())[slot] = changed;
        }
    }

    /// The state before when nothing changed.
    Replication done() {
        if (rows.isEmpty()
                && lastIncarnation == before.lastIncarnation()
                && targets.equals(before.targets())
                && controllers.equals(before.controllers())
                && forgotten.equals(before.forgotten())
                && drives.equals(before.drives().entries())) {
            return before;
        }
        var tables = new HashMap<>(before.tables());
        rows.forEach((group, changed) -> tables.put(group, SlotTable.of(changed)));
        return new Replication(lastIncarnation, targets, driveTable(), controllers, before.groups(), forgotten, tables);
    }
}
