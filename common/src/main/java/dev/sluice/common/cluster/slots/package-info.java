/// Which drives keep each slot of the replicated buckets, in which role, and how that changes. Immutable values and
/// pure
/// functions. Open {@link dev.sluice.common.cluster.slots.SlotRow} first. Depends on `name` and `placement`.
@NullMarked
package dev.sluice.common.cluster.slots;

import org.jspecify.annotations.NullMarked;
