/// A drive's ordered index, behind one seam. Open {@link dev.sluice.targetnode.storage.index.DriveIndex} first.
@NullMarked
package dev.sluice.targetnode.storage.index;

import org.jspecify.annotations.NullMarked;
