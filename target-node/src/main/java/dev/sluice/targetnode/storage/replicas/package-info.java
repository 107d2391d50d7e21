/// The seam between this target's storage and the replication of buckets whose objects several targets keep. Open
/// {@link
/// dev.sluice.targetnode.storage.replicas.Replicas} first; `replica` implements it.
@NullMarked
package dev.sluice.targetnode.storage.replicas;

import org.jspecify.annotations.NullMarked;
