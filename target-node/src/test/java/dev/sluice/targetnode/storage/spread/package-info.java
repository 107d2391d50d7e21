/// Tests of the drive table.
@NullMarked
package dev.sluice.targetnode.storage.spread;

import org.jspecify.annotations.NullMarked;
