/// Cold fills and writes through, on a real store and a cloud in memory.
@NullMarked
package dev.sluice.targetnode.coldfill;

import org.jspecify.annotations.NullMarked;
