/// The keeper of the cluster's state, on three targets, one of which leads; on one where there are fewer. Open {@link
/// dev.sluice.targetnode.controller.Controller} first; what a command does says {@link
/// dev.sluice.common.cluster.planning.Planner}. It stands on `judge`, which stands on `log`, which stands on `raft`.
@NullMarked
package dev.sluice.targetnode.controller;

import org.jspecify.annotations.NullMarked;
