/// What a command changes: of nodes, buckets and jobs, and which drives keep each slot in which role. Pure functions of
/// the state; the controller that leads calls them, and no other node. Open {@link
/// dev.sluice.common.cluster.planning.Planner} first, then `SlotPlanner` and `RowTransitions`. Depends on `cluster`.
@NullMarked
package dev.sluice.common.cluster.planning;

import org.jspecify.annotations.NullMarked;
