package dev.sluice.targetnode.replica.peers;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.replica.loop.AppliedState;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.storage.ObjectStore;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/// What all that goes between targets works with.
///
/// @param self this target
/// @param loops the drives of this target, by their ids
/// @param applied the state of the cluster that the drives go by; empty before the first one
/// @param threads for what blocks
public record ReplicaParts(
        NodeId self,
        ReplicaPeers targets,
        ObjectStore store,
        Staging staging,
        Function<String, Optional<DriveReplicas>> loops,
        Supplier<Optional<AppliedState>> applied,
        Executor threads) {}
