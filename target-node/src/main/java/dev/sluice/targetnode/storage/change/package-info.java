/// How a key is changed: one change at a time, published at once. Open {@link
/// dev.sluice.targetnode.storage.change.KeyCommitter} first.
@NullMarked
package dev.sluice.targetnode.storage.change;

import org.jspecify.annotations.NullMarked;
