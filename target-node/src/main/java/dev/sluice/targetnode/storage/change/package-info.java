/// How a key is changed: one change at a time, published all at once. Open {@link
/// dev.sluice.targetnode.storage.change.Shelf} first.
@NullMarked
package dev.sluice.targetnode.storage.change;

import org.jspecify.annotations.NullMarked;
