/// Tests of what a target keeps on its drives.
@NullMarked
package dev.sluice.targetnode.storage;

import org.jspecify.annotations.NullMarked;
