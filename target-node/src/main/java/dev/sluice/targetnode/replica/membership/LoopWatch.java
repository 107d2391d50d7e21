package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds the loops of drives that stand still: one step has taken a second, as when the drive hangs. A loop that has
/// nothing to do never stands still; and time in which the whole process stood still, or had no processor, does not
/// count: this watch is late then, too.
public final class LoopWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoopWatch.class);

    static final Duration TICK = Duration.ofMillis(100);
    private static final Duration STANDS_STILL = Duration.ofSeconds(1);
    private static final Duration LATE = Duration.ofMillis(200);

    private final Supplier<Collection<DriveReplicas>> loops;
    private final Consumer<DriveReplicas> standsStill;
    private final Thread thread;
    private volatile boolean closed;
    private long ticked = System.nanoTime();
    private long countsSince = ticked;

    /// @param standsStill told each time it looks, until the loop is none of the loops any more
    public LoopWatch(NodeId self, Supplier<Collection<DriveReplicas>> loops, Consumer<DriveReplicas> standsStill) {
        this.loops = loops;
        this.standsStill = standsStill;
        this.thread = Thread.ofPlatform().name("loop watch " + self).daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                tick(System.nanoTime());
            } catch (RuntimeException bug) {
                LOG.error("the drives' loops were not looked at: a bug", bug);
            }
            LockSupport.parkNanos(TICK.toNanos());
        }
    }

    /// @param now of [System#nanoTime]
    public void tick(long now) {
        if (now - ticked > TICK.plus(LATE).toNanos()) {
            countsSince = now;
        }
        ticked = now;
        for (var loop : List.copyOf(loops.get())) {
            var began = loop.stepBegan();
            if (began.isPresent()
                    && now - began.getAsLong() > STANDS_STILL.toNanos()
                    && now - countsSince > STANDS_STILL.toNanos()) {
                standsStill.accept(loop);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
