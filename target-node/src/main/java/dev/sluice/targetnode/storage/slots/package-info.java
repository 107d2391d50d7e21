/// The seam between requests and those who keep the objects of a slot: above it nobody knows how many drives or targets
/// they are. Open {@link dev.sluice.targetnode.storage.slots.SlotWriter} first; `copies` and `replica` implement it.
@NullMarked
package dev.sluice.targetnode.storage.slots;

import org.jspecify.annotations.NullMarked;
