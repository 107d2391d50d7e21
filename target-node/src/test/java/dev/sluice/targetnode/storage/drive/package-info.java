/// Tests of one drive, with a simulated one that crashes.
@NullMarked
package dev.sluice.targetnode.storage.drive;

import org.jspecify.annotations.NullMarked;
