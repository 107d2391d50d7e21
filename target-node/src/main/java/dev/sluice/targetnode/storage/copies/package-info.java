/// A key on several drives: which copy is the newest, what a change is for each drive, and how a copy gets from one to
/// another. Open {@link dev.sluice.targetnode.storage.copies.Finder} first.
@NullMarked
package dev.sluice.targetnode.storage.copies;

import org.jspecify.annotations.NullMarked;
