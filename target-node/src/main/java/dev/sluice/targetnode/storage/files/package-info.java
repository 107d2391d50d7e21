/// A drive's files, behind one seam, and the threads that may touch them. Open {@link
/// dev.sluice.targetnode.storage.files.DriveFiles} first.
@NullMarked
package dev.sluice.targetnode.storage.files;

import org.jspecify.annotations.NullMarked;
