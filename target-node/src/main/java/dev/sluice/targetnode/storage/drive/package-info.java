/// One drive: where keys lie, how changes are committed, what a start repairs. Open {@link
/// dev.sluice.targetnode.storage.drive.Drive} first.
@NullMarked
package dev.sluice.targetnode.storage.drive;

import org.jspecify.annotations.NullMarked;
