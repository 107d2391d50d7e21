package dev.sluice.targetnode.admin;

import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.targetnode.coldfill.BucketBackends;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.ObjectStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.concurrent.Executor;

/// What a target's handlers are made of, and work with.
///
/// @param backends the clouds of its buckets
/// @param digests a pool of about one thread per core, for costly digests
/// @param clock tells how old what the cloud said is
public record TargetParts(
        NodeId node,
        ObjectStore store,
        ControlPlane control,
        ClusterViews views,
        PeerClient peers,
        BucketBackends backends,
        Quotas quotas,
        Executor digests,
        MeterRegistry meters,
        InstantSource clock) {}
