/// Which drives keep each slot of the replicated buckets, in which role. Immutable values. Open {@link
/// dev.sluice.common.cluster.slots.SlotRow} first. Depends on `erasure`, `name` and `placement`.
@NullMarked
package dev.sluice.common.cluster.slots;

import org.jspecify.annotations.NullMarked;
