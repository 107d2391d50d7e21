/// What the whole cluster agrees on: who is in it, which buckets exist, whose keys are good. Immutable values; {@link
/// dev.sluice.common.cluster.ControlPlane} is how a node reads and changes them. Open it first, then `ClusterState`.
/// Depends on `auth` (keys, policies), `jobs`, `name`,
/// `placement`, `slots` and `store`.
@NullMarked
package dev.sluice.common.cluster;

import org.jspecify.annotations.NullMarked;
