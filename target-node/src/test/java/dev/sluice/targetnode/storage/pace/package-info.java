/// Tests of how fast jobs go, and the clocks of all tests of jobs.
@NullMarked
package dev.sluice.targetnode.storage.pace;

import org.jspecify.annotations.NullMarked;
