/// The gateway of a node whose cluster is in memory: the real state machine, targets that are maps. Open
/// {@link dev.sluice.proxy.TrialCluster} first.
@NullMarked
package dev.sluice.proxy;

import org.jspecify.annotations.NullMarked;
