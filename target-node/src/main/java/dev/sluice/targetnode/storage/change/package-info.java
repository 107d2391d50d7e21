<<<<<<< HEAD
/// How a key is changed: one change at a time, published all at once. Open {@link
=======
/// How a key is changed: one change at a time, published at once. Open {@link
>>>>>>> storage
/// dev.sluice.targetnode.storage.change.Shelf} first.
@NullMarked
package dev.sluice.targetnode.storage.change;

import org.jspecify.annotations.NullMarked;
