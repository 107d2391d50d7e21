package dev.sluice.common.concurrent;

import java.time.Duration;
import java.util.function.Supplier;

/// When a request is to be answered: one limit for all that it waits for, one after the other. It goes with the thread
/// that works on the request, and with those that it asks by [AtOnce]. Whoever waits asks [#atMost] for how long.
public final class Deadline {
    private static final ScopedValue<Long> END = ScopedValue.newInstance();
    private static final long NEVER = Long.MAX_VALUE;

    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    /// So long from now on, or less where the work that this is a part of has less time left.
    public static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + atMost(time).toNanos());
    }

    /// Runs work that is to end by then.
    public <T> T call(Supplier<T> work) {
        return ScopedValue.where(END, end).call(work::get);
    }

    /// Runs what has to be done all the same when the time is over.
    public static <T> T lifted(Supplier<T> work) {
        return ScopedValue.where(END, NEVER).call(work::get);
    }

    /// The limit, or what is left of the time, when that is less; zero when nothing is left.
    public static Duration atMost(Duration limit) {
        long until = END.orElse(NEVER);
        if (until == NEVER) {
            return limit;
        }
        long left = Math.max(0, until - System.nanoTime());
        return limit.toNanos() < left ? limit : Duration.ofNanos(left);
    }

    /// The same work for another thread, which has this one's deadline.
    public static <T> Supplier<T> carried(Supplier<T> work) {
        long until = END.orElse(NEVER);
        return () -> ScopedValue.where(END, until).call(work::get);
    }

    public static Runnable carried(Runnable work) {
        long until = END.orElse(NEVER);
        return () -> ScopedValue.where(END, until).run(work);
    }
}
