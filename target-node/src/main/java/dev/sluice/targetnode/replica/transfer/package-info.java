/// What goes between targets: messages in batches, and the bytes of objects. Open {@link
/// dev.sluice.targetnode.replica.transfer.Messages} first. May depend on `loop` and `core`.
@NullMarked
package dev.sluice.targetnode.replica.transfer;

import org.jspecify.annotations.NullMarked;
