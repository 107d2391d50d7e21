/// Replication of buckets whose objects several targets keep: the shell around the protocol in `replica.core`. Open
/// {@link dev.sluice.targetnode.replica.Replicator} first. {@link dev.sluice.targetnode.replica.DriveReplicas} runs the
/// cores of a drive, {@link dev.sluice.targetnode.replica.LocalChanges} changes the drive for them. May depend on the
/// storage and the cluster's state.
@NullMarked
package dev.sluice.targetnode.replica;

import org.jspecify.annotations.NullMarked;
