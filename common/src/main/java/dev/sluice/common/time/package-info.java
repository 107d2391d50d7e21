/// Clocks that are given to what measures time, so that tests can set them, and lengths of time as people write them.
/// Depends on nothing.
@NullMarked
package dev.sluice.common.time;

import org.jspecify.annotations.NullMarked;
