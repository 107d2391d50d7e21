package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.common.cluster.slots.Leader;
import dev.sluice.common.cluster.slots.NewGroup;
import dev.sluice.common.cluster.slots.Planner;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobTable;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Everything the controllers keep. A pure state machine: the same commands in the same order give the same state.
///
/// @param version grows by one with every command that changes something
/// @param members the targets this cluster is made of; slots are shared out only when all of them have joined
/// @param credentials access key → secret key: of the node that has this state, and no part of what is agreed on
/// @param replication targets, drives, and which drives keep each slot of the replicated buckets
/// @param jobs those that run, and the last ones that ended
public record ClusterState(
        long version,
        String clusterId,
        SortedSet<NodeId> members,
        ClusterMap map,
        BucketTable buckets,
        SortedMap<String, String> credentials,
        Replication replication,
        JobTable jobs) {

    /// @param jobs missing in states that were written before there were jobs
    @JsonCreator
    static ClusterState read(
            @JsonProperty("version") long version,
            @JsonProperty("clusterId") String clusterId,
            @JsonProperty("members") SortedSet<NodeId> members,
            @JsonProperty("map") ClusterMap map,
            @JsonProperty("buckets") BucketTable buckets,
            @JsonProperty("credentials") SortedMap<String, String> credentials,
            @JsonProperty("replication") Replication replication,
            @JsonProperty("jobs") @Nullable JobTable jobs) {
        return new ClusterState(
                version,
                clusterId,
                members,
                map,
                buckets,
                credentials,
                replication,
                jobs == null ? JobTable.EMPTY : jobs);
    }

    public static ClusterState create(
            String clusterId, SortedSet<NodeId> members, SortedMap<String, String> credentials) {
        return new ClusterState(
                0,
                clusterId,
                members,
                ClusterMap.EMPTY,
                BucketTable.EMPTY,
                credentials,
                Replication.NONE,
                JobTable.EMPTY);
    }

    /// True when every member has joined, so that each slot has its owner for good.
    public boolean formed() {
        return map.nodes().keySet().containsAll(members);
    }

    /// @throws StoreException when the command cannot be applied; the state is then unchanged
    public ClusterState apply(Command command) {
        return apply(command, Leader.KNOWS_NOTHING);
    }

    /// What the controller that plans does; all others apply the [Change].
    ///
    /// @throws StoreException when the command cannot be applied; the state is then unchanged
    public ClusterState apply(Command command, Leader leader) {
        return switch (command) {
            case Command.Join(var node) -> join(node);
            case Command.CreateBucket(var name, var now, var properties) -> {
                if (buckets.find(name).isPresent()) {
                    throw new StoreException.BucketExists(name);
                }
                if (buckets.removed().containsKey(name)) {
                    throw new StoreException.Unavailable(
                            "a bucket %s was deleted, and not every target has dropped it yet".formatted(name));
                }
                yield create(name, now, properties, leader);
            }
            case Command.SetBucketProperties(var name, var id, var expected, var properties) ->
                same(name, id)
                        .filter(bucket -> bucket.properties().equals(expected) && !properties.equals(expected))
                        .filter(_ -> properties.replicatesAs(expected))
                        .map(bucket -> with(buckets.with(bucket.with(properties))))
                        .orElse(this);
            case Command.SetReplication(var name, var id, var deletion, var expected, var properties) ->
                same(name, id)
                        .filter(bucket -> bucket.deleting() && bucket.deletion() == deletion)
                        .filter(bucket -> bucket.properties().equals(expected))
                        .map(bucket -> replicating(bucket, properties, leader))
                        .orElse(this);
            case Command.MarkDeleting(var name) -> {
                var bucket = existing(name);
                yield bucket.deleting() ? this : with(buckets.with(bucket.withDeletion(version + 1)));
            }
            case Command.KeepBucket(var name, var id) ->
                same(name, id)
                        .map(bucket -> with(buckets.with(bucket.withDeletion(0))))
                        .orElse(this);
            case Command.RemoveBucket(var name, var id, var deletion) ->
                same(name, id)
                        .filter(bucket -> bucket.deleting() && bucket.deletion() == deletion)
                        .map(bucket -> with(buckets.removing(bucket)))
                        .orElse(this);
            case Command.ForgetBucket(var name, var id) ->
                buckets.isRemoved(name, id) ? with(buckets.forgetting(name)) : this;
            case Command.JobCommand job -> with(changed(job));
            case Command.SlotCommand slots -> with(Planner.plan(this, slots, leader));
        };
    }

    /// The effects of a command as the log keeps them; empty when it has none.
    ///
    /// @throws StoreException as [#apply]
    public Optional<Change> plan(Command command, Leader leader) {
        var next = apply(command, leader);
        return next.version() == version ? Optional.empty() : Optional.of(Change.between(this, next));
    }

    /// Empty when the change was planned from another version than this one.
    public Optional<ClusterState> apply(Change change) {
        if (change.ifVersion() != version) {
            return Optional.empty();
        }
        return Optional.of(new ClusterState(
                version + 1,
                clusterId,
                members,
                change.map().orElse(map),
                change.buckets().map(changed -> changed.appliedTo(buckets)).orElse(buckets),
                credentials,
                change.replication(replication),
                jobs.changed(change.jobs())));
    }

    /// The same state at the same version, with its replication read apart.
    ClusterState withReplication(Replication read) {
        return new ClusterState(version, clusterId, members, map, buckets, credentials, read, jobs);
    }

    /// The same state; slot rows that are equal in the other one are that one's objects.
    public ClusterState sharing(ClusterState known) {
        return new ClusterState(
                version, clusterId, members, map, buckets, credentials, replication.sharing(known.replication), jobs);
    }

    /// The same state at the same version, for somebody who knows these keys of it.
    public ClusterState carrying(SortedMap<String, String> keys) {
        return new ClusterState(version, clusterId, members, map, buckets, keys, replication, jobs);
    }

    /// Without the secret keys.
    @Override
    public String toString() {
        return "ClusterState[version %d of %s, %s, %s, keys %s]"
                .formatted(version, clusterId, map, buckets, credentials.keySet());
    }

    private ClusterState join(Node node) {
        var known = map.nodes().get(node.id());
        if (node.equals(known)) {
            return this;
        }
        if (known != null && (known.role() != node.role() || known.weight() != node.weight())) {
            throw new StoreException.InvalidArgument("%s is in the cluster as a %s of weight %s, not a %s of weight %s"
                    .formatted(node.id(), known.role(), known.weight(), node.role(), node.weight()));
        }
        if (node.role() == Role.TARGET && !members.contains(node.id())) {
            throw new StoreException.InvalidArgument(
                    node.id() + " is not one of the targets this cluster is made of: " + members);
        }
        return new ClusterState(
                version + 1, clusterId, members, map.with(node), buckets, credentials, replication, jobs);
    }

    private ClusterState create(String name, long nowMillis, BucketProperties properties, Leader leader) {
        var grouped = grouped(properties, leader);
        return with(buckets.adding(name, nowMillis, properties, group(grouped, properties)), grouped);
    }

    /// Of a bucket that is marked for deletion and empty; it is kept.
    private ClusterState replicating(Bucket bucket, BucketProperties properties, Leader leader) {
        if (bucket.replicated() && properties.replicas() == 1) {
            // a drive that is away may come back with objects that were deleted, and nobody would compare them
            throw new StoreException.InvalidArgument(
                    "a bucket with replicas cannot become one without; create another bucket");
        }
        var grouped = grouped(properties, leader);
        var changed =
                bucket.with(properties).withGroup(group(grouped, properties)).withDeletion(0);
        return with(buckets.with(changed), grouped);
    }

    private Replication grouped(BucketProperties properties, Leader leader) {
        return properties.replicas() == 1
                ? replication
                : NewGroup.in(this, properties.replicas(), properties.durability(), leader.slots(members.size()));
    }

    private static int group(Replication grouped, BucketProperties properties) {
        return properties.replicas() == 1
                ? 0
                : grouped.group(properties.replicas(), properties.durability())
                        .orElseThrow()
                        .id();
    }

    private JobTable changed(Command.JobCommand command) {
        return switch (command) {
            case Command.StartJob(var id, var spec, var author, var now) -> {
                var _ = same(spec.bucket(), spec.bucketId())
                        .orElseThrow(() -> new StoreException.NoSuchBucket(spec.bucket()));
                yield jobs.starting(Job.started(id, spec, author, now));
            }
            case Command.EndJobPart(var id, var target, var part, var now) ->
                jobs.partEnded(
                        id, target, part, map.targets().stream().map(Node::id).collect(Collectors.toSet()), now);
            case Command.MoveJob(var id, var target, var position) -> jobs.moved(id, target, position);
            case Command.StopJob(var id, var parts, var now) -> jobs.stopping(id, parts, now);
        };
    }

    private Bucket existing(String name) {
        return buckets.find(name).orElseThrow(() -> new StoreException.NoSuchBucket(name));
    }

    private Optional<Bucket> same(String name, long id) {
        return buckets.find(name).filter(bucket -> bucket.id() == id);
    }

    private ClusterState with(BucketTable changed) {
        return with(changed, replication);
    }

    private ClusterState with(BucketTable changed, Replication grouped) {
        return new ClusterState(version + 1, clusterId, members, map, changed, credentials, grouped, jobs);
    }

    @SuppressWarnings("ReferenceEquality") // the planner returns the same object when nothing changed
    private ClusterState with(Replication changed) {
        return changed == replication
                ? this
                : new ClusterState(version + 1, clusterId, members, map, buckets, credentials, changed, jobs);
    }

    private ClusterState with(JobTable changed) {
        return changed.equals(jobs)
                ? this
                : new ClusterState(version + 1, clusterId, members, map, buckets, credentials, replication, changed);
    }
}
