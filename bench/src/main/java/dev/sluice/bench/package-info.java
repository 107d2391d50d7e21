/// Sluice's bench.
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
