/// A bucket in memory with faults to order, for tests. Open {@link dev.sluice.backend.memory.MemoryBackend} first.
@NullMarked
package dev.sluice.backend.memory;

import org.jspecify.annotations.NullMarked;
