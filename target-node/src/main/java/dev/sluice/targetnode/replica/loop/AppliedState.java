package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.bucket.BucketRefs;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What replication asks of the newest state that this target has begun to apply.
///
/// @param buckets the replicated ones by id
public record AppliedState(ClusterState state, Map<Long, Bucket> buckets) {
    public static AppliedState of(ClusterState state) {
        var buckets = new HashMap<Long, Bucket>();
        state.buckets().buckets().values().stream()
                .filter(Bucket::replicated)
                .forEach(bucket -> buckets.put(bucket.id(), bucket));
        return new AppliedState(state, buckets);
    }

    /// Empty when the bucket is not known, or not replicated.
    public Optional<Group> groupOf(long bucketId) {
        return Optional.ofNullable(buckets.get(bucketId))
                .flatMap(bucket -> state.replication().group(bucket.group()));
    }

    public Optional<LocalChanges.KnownBucket> bucket(long id) {
        return Optional.ofNullable(buckets.get(id))
                .map(bucket -> new LocalChanges.KnownBucket(
                        BucketRefs.of(bucket), bucket.properties().durability() == Durability.FSYNC));
    }

    /// Whether a group has a slot.
    public boolean has(int group, int slot) {
        return state.replication()
                .group(group)
                .filter(known -> slot >= 0 && slot < known.slots())
                .isPresent();
    }

    public Optional<SlotRow> row(int group, int slot) {
        return state.replication().table(group).map(table -> table.row(slot));
    }

    /// The node that has a drive.
    public Optional<Node> owner(String drive) {
        return state.replication()
                .drives()
                .find(drive)
                .map(entry -> state.map().nodes().get(entry.target()));
    }
}
