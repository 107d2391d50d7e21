/// Replication of buckets whose objects several targets keep: the shell around the protocol in `replica.core`. Open
/// {@link dev.sluice.targetnode.replica.Replicator} first, which composes it: `membership` over `transfer` over
/// `loop` over `core`. May depend on the storage and the cluster's state.
@NullMarked
package dev.sluice.targetnode.replica;

import org.jspecify.annotations.NullMarked;
