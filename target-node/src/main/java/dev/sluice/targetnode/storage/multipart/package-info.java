/// Multipart uploads on the drive of their key. Open {@link dev.sluice.targetnode.storage.multipart.Multipart} first.
@NullMarked
package dev.sluice.targetnode.storage.multipart;

import org.jspecify.annotations.NullMarked;
