/// The replication protocol of one slot on one drive, apart from threads, time, bytes, network and disk: events go in,
/// actions come out. Open {@link dev.sluice.targetnode.replica.core.SlotCore} first. Depends on
/// `common.cluster.slots` and on the values of `storage.record` only.
@NullMarked
package dev.sluice.targetnode.replica.core;

import org.jspecify.annotations.NullMarked;
