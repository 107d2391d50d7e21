package dev.sluice.common.cluster.slots;

import dev.sluice.common.cluster.ClusterMap;
import dev.sluice.common.name.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/// The next state of targets, drives and slots, while it is planned. For one thread.
final class Draft {
    /// A new row for a slot, or the same one.
    interface Rule {
        SlotRow apply(Group group, int slot, SlotRow row);
    }

    private final Replication before;
    private final ClusterMap map;
    private final TreeMap<NodeId, TargetEntry> targets;
    private final TreeMap<NodeId, Integer> controllers;
    private final TreeMap<String, DriveEntry> drives;
    private final Map<Integer, SlotRow[]> rows = new HashMap<>();
    private final Interner interner = new Interner();
    private int lastIncarnation;
    private DriveTable driveTable;

    Draft(Replication before, ClusterMap map) {
        this.before = before;
        this.map = map;
        this.targets = new TreeMap<>(before.targets());
        this.controllers = new TreeMap<>(before.controllers());
        this.drives = new TreeMap<>(before.drives().entries());
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

    Map<String, DriveEntry> drives() {
        return drives;
    }

    /// Whether the drive's target is up, and the drive not out.
    boolean usable(String drive) {
        var entry = drives.get(drive);
        return entry != null && !entry.out() && target(entry.target()).up();
    }

    NodeId where(String drive) {
        var entry = drives.get(drive);
        if (entry == null) {
            throw new IllegalStateException("drive " + drive + " is a member, and in no registration");
        }
        return entry.target();
    }

    private TargetEntry target(NodeId id) {
        return Objects.requireNonNull(targets.get(id));
    }

    private SlotTable table(int group) {
        return Objects.requireNonNull(before.tables().get(group));
    }

    int incarnation(String drive) {
        return target(where(drive)).incarnation();
    }

    /// With the targets and drives as they are now.
    Goals goals() {
        return new Goals(driveTable(), this::usable, map);
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

    void eachRow(Rule rule) {
        for (var group : before.groups().values()) {
            for (int slot = 0; slot < table(group.id()).size(); slot++) {
                change(group, slot, rule);
            }
        }
    }

    void change(Group group, int slot, Rule rule) {
        var old = row(group.id(), slot);
        var changed = rule.apply(group, slot, old);
        if (!changed.equals(old)) {
            rows.computeIfAbsent(group.id(), id -> table(id).copy())[slot] = interner.row(changed);
        }
    }

    /// The state before when nothing changed.
    Replication done() {
        if (rows.isEmpty()
                && lastIncarnation == before.lastIncarnation()
                && targets.equals(before.targets())
                && controllers.equals(before.controllers())
                && drives.equals(before.drives().entries())) {
            return before;
        }
        var tables = new HashMap<>(before.tables());
        rows.forEach((group, changed) -> tables.put(group, SlotTable.of(changed)));
        return new Replication(lastIncarnation, targets, driveTable(), controllers, before.groups(), tables);
    }
}
