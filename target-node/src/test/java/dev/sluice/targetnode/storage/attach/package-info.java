/// Tests of what is kept on a drive about the target's drives.
@NullMarked
package dev.sluice.targetnode.storage.attach;

import org.jspecify.annotations.NullMarked;
