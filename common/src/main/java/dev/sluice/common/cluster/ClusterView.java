package dev.sluice.common.cluster;

import dev.sluice.common.auth.AccessKey;
import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.auth.KeyRing;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.SlotCensus;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/// One cluster state and what follows from it, made once for each state. A request reads one view and keeps to it.
///
/// @param owners drive → its node
public record ClusterView(
        ClusterState state,
        Routing routing,
        KeyRing keys,
        Map<Long, BucketRules> rules,
        Map<String, Node> owners,
        SlotCensus census) {
    public static ClusterView of(ClusterState state) {
        return of(state, Routing.of(state.map()), keys(state), BucketTable.EMPTY, Map.of(), owners(state));
    }

    /// The view of a newer state; what did not change is kept.
    ClusterView next(ClusterState newer) {
        boolean sameMap = newer.map().equals(state.map());
        boolean sameDrives =
                newer.replication().drives().equals(state.replication().drives());
        return of(
                newer,
                sameMap ? routing : Routing.of(newer.map()),
                newer.credentials().equals(state.credentials()) ? keys : keys(newer),
                state.buckets(),
                rules,
                sameMap && sameDrives ? owners : owners(newer));
    }

    private static ClusterView of(
            ClusterState state,
            Routing routing,
            KeyRing keys,
            BucketTable before,
            Map<Long, BucketRules> rulesBefore,
            Map<String, Node> owners) {
        var rules = new HashMap<Long, BucketRules>();
        for (var bucket : state.buckets().buckets().values()) {
            var documents = bucket.properties().documents();
            if (!documents.isEmpty()) {
                boolean same = before.find(bucket.name())
                        .filter(earlier -> earlier.id() == bucket.id())
                        .filter(earlier -> earlier.properties().documents().equals(documents))
                        .isPresent();
                rules.put(bucket.id(), same ? rulesBefore.get(bucket.id()) : BucketRules.compiled(bucket));
            }
        }
        return new ClusterView(state, routing, keys, Map.copyOf(rules), owners, census(state, owners));
    }

    private static KeyRing keys(ClusterState state) {
        return KeyRing.of(state.credentials().entrySet().stream()
                .map(entry -> new AccessKey(entry.getKey(), entry.getValue()))
                .toList());
    }

    private static Map<String, Node> owners(ClusterState state) {
        var owners = new HashMap<String, Node>();
        state.replication()
                .drives()
                .entries()
                .forEach((drive, entry) -> Optional.ofNullable(
                                state.map().nodes().get(entry.target()))
                        .ifPresent(node -> owners.put(drive, node)));
        return Map.copyOf(owners);
    }

    private static SlotCensus census(ClusterState state, Map<String, Node> owners) {
        var replication = state.replication();
        var places = new HashMap<String, SlotCensus.Place>();
        owners.forEach((drive, node) ->
                places.put(drive, SlotCensus.Place.of(node.id().value(), node.zone(), replication.usable(drive))));
        return new SlotCensus(
                replication.groups(), group -> replication.table(group).orElseThrow(), places);
    }

    public long version() {
        return state.version();
    }

    public Optional<Bucket> bucket(String name) {
        return state.buckets().find(name);
    }

    /// What the bucket's documents say.
    public BucketRules rules(Bucket bucket) {
        return rules.getOrDefault(bucket.id(), BucketRules.NONE);
    }

    public BucketPolicy policy(Bucket bucket) {
        return rules(bucket).policy();
    }

    /// The node of the primary of a key: also while it is down.
    ///
    /// @throws StoreException.Unavailable when this view is older than the bucket's group
    public Node primary(Bucket bucket, String key) {
        if (!bucket.replicated()) {
            return routing.primary(Slot.of(bucket.id(), key));
        }
        return row(bucket, key)
                .flatMap(row -> owner(row.primary().drive()))
                .orElseThrow(() -> new StoreException.Unavailable(
                        "this node does not know yet who keeps the bucket " + bucket.name()));
    }

    /// The targets in the order in which they take the place of the primary of a key without replicas. It is the
    /// first of them.
    public List<Node> ranking(Bucket bucket, String key) {
        return routing.ranking(Slot.of(bucket.id(), key));
    }

    /// Whether the controllers say that a target is down.
    public boolean isDown(NodeId target) {
        return state.replication().target(target).filter(entry -> !entry.up()).isPresent();
    }

    /// The targets of which they do not say so.
    public List<Node> living() {
        return routing.targets().stream().filter(node -> !isDown(node.id())).toList();
    }

    /// The targets that can serve a slot of a replicated bucket: they are up and have its primary. All targets when the
    /// bucket is not replicated, or this view is older than its group.
    public List<Node> primaries(Bucket bucket) {
        return state.replication()
                .table(bucket.group())
                .map(table -> primaries(table.primaryDrives()))
                .orElseGet(routing::targets);
    }

    private List<Node> primaries(Set<String> drives) {
        var serving = drives.stream()
                .filter(state.replication()::usable)
                .flatMap(drive -> owner(drive).stream())
                .collect(Collectors.toSet());
        return routing.targets().stream().filter(serving::contains).toList();
    }

    /// The row of a key's slot; empty when the bucket is not replicated, or this view is older than its group.
    public Optional<SlotRow> row(Bucket bucket, String key) {
        var replication = state.replication();
        return group(bucket)
                .flatMap(group ->
                        replication.table(group.id()).map(table -> table.row(group.slotOf(bucket.id(), key))));
    }

    /// Empty when the bucket is not replicated, or this view is older than its group.
    public Optional<Group> group(Bucket bucket) {
        return state.replication().group(bucket.group());
    }

    /// The node that has a drive.
    public Optional<Node> owner(String drive) {
        return Optional.ofNullable(owners.get(drive));
    }

    /// How many slots of each group of replicated buckets are in which state.
    public SortedMap<Integer, SlotCounts> slotCounts() {
        return census.byGroup();
    }

    /// The same of all groups together.
    public SlotCounts allSlotCounts() {
        return census.all();
    }
}
