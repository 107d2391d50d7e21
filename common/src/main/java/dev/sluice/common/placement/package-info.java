/// Which slot a key belongs to and who holds a slot: pure functions, the same on every node, client and simulator.
/// Open {@link dev.sluice.common.placement.Rendezvous} first. Depends on nothing.
@NullMarked
package dev.sluice.common.placement;

import org.jspecify.annotations.NullMarked;
