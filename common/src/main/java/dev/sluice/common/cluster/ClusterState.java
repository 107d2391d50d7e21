package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.jobs.JobTable;
import dev.sluice.common.name.NodeId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/// Everything the controllers keep. A pure state machine: the same changes in the same order give the same state. What
/// a command changes is planned by `planning.Planner`, at one place.
///
/// @param version grows by one with every change
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

    /// What a new bucket has where nothing is said: two replicas, when it owns its objects and there is another target.
    public BucketProperties newBucket(Optional<BackendSpec> backend) {
        var usual = BucketProperties.defaults(backend);
        return backend.isEmpty() && members.size() > 1 ? usual.withReplicas(2) : usual;
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
}
