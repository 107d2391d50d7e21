package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;

/// What the looks at all drives share.
///
/// @param threads virtual ones
/// @param movedObjects since the start of this process
record Tools(
        Mover mover,
        KnownBuckets buckets,
        Surroundings surroundings,
        ResilverSettings settings,
        Clock ticks,
        ExecutorService threads,
        Foreground foreground,
        Failures failures,
        LongAdder movedObjects,
        LongAdder movedBytes) {}
