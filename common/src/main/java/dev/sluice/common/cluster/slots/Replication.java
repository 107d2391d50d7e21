package dev.sluice.common.cluster.slots;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.common.name.NodeId;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// What the controllers' log says about replicas. The JSON has all but the tables, which have a form of their own.
///
/// @param lastIncarnation the last one given to any target
/// @param targets the targets that have registered
/// @param controllers the boot number that each controller wrote last
/// @param groups by id
/// @param forgotten ids of drives that take no part ever again
/// @param tables one for each group
public record Replication(
        int lastIncarnation,
        SortedMap<NodeId, TargetEntry> targets,
        DriveTable drives,
        SortedMap<NodeId, Integer> controllers,
        SortedMap<Integer, Group> groups,
        SortedSet<String> forgotten,
        @JsonIgnore Map<Integer, SlotTable> tables) {
    public static final int MOST_GROUPS = 64;
    public static final Replication NONE = new Replication(
            0, new TreeMap<>(), DriveTable.EMPTY, new TreeMap<>(), new TreeMap<>(), new TreeSet<>(), Map.of());

    public Replication {
        targets = Collections.unmodifiableSortedMap(new TreeMap<>(targets));
        controllers = Collections.unmodifiableSortedMap(new TreeMap<>(controllers));
        groups = Collections.unmodifiableSortedMap(new TreeMap<>(groups));
        forgotten = Collections.unmodifiableSortedSet(new TreeSet<>(forgotten));
        tables = Map.copyOf(tables);
    }

    @JsonCreator
    static Replication read(
            @JsonProperty("lastIncarnation") int lastIncarnation,
            @JsonProperty("targets") SortedMap<NodeId, TargetEntry> targets,
            @JsonProperty("drives") DriveTable drives,
            @JsonProperty("controllers") SortedMap<NodeId, Integer> controllers,
            @JsonProperty("groups") SortedMap<Integer, Group> groups,
            @JsonProperty("forgotten") SortedSet<String> forgotten) {
        return new Replication(lastIncarnation, targets, drives, controllers, groups, forgotten, Map.of());
    }

    public Optional<TargetEntry> target(NodeId id) {
        return Optional.ofNullable(targets.get(id));
    }

    /// What a target's next registration names as the incarnation it has read: 0 before the first one.
    public int incarnation(NodeId target) {
        return target(target).map(TargetEntry::incarnation).orElse(0);
    }

    /// The incarnation of the process that registered with this nonce; empty when it did not, or another one has since.
    public Optional<Integer> incarnation(NodeId target, String nonce) {
        return target(target).filter(entry -> entry.nonce().equals(nonce)).map(TargetEntry::incarnation);
    }

    /// The targets of which too few others hear anything.
    @JsonIgnore
    public SortedSet<NodeId> muted() {
        var muted = new TreeSet<NodeId>();
        targets.forEach((target, entry) -> {
            if (entry.muted()) {
                muted.add(target);
            }
        });
        return muted;
    }

    public Optional<Group> group(int replicas, int data, Durability durability) {
        return groups.values().stream()
                .filter(group ->
                        group.replicas() == replicas && group.data() == data && group.durability() == durability)
                .findFirst();
    }

    public Optional<Group> group(int id) {
        return Optional.ofNullable(groups.get(id));
    }

    public Optional<SlotTable> table(int group) {
        return Optional.ofNullable(tables.get(group));
    }

    /// Whether the drive's target is up, and has not reported the drive out.
    public boolean usable(String drive) {
        return drives.find(drive)
                .filter(entry -> !entry.out()
                        && target(entry.target()).filter(TargetEntry::up).isPresent())
                .isPresent();
    }

    public Replication withTables(Map<Integer, SlotTable> changed) {
        return new Replication(lastIncarnation, targets, drives, controllers, groups, forgotten, changed);
    }

    /// The same. The order of the drives for each slot is not computed again when it was for the same drives.
    public Replication keepingRanking(Replication known) {
        return new Replication(
                lastIncarnation, targets, drives.keepingRanking(known.drives), controllers, groups, forgotten, tables);
    }

    /// The same; rows that are equal in the other one are that one's objects.
    public Replication sharing(Replication known) {
        var shared = new HashMap<Integer, SlotTable>();
        tables.forEach((group, table) ->
                shared.put(group, known.table(group).map(table::sharing).orElse(table)));
        return withTables(shared).keepingRanking(known);
    }
}
