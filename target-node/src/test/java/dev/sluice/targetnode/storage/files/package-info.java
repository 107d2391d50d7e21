/// Tests of the seam to a drive's files.
@NullMarked
package dev.sluice.targetnode.storage.files;

import org.jspecify.annotations.NullMarked;
