package dev.sluice.common.checksum;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// How many streams move: one that has brought nothing for a while, because its drive or its client is slow, is no
/// company that is worth waiting for.
final class OpenStreams {
    static final long RESTS_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LOOK_NANOS = RESTS_AFTER_NANOS / 2;

    private final LongSupplier clock;
    private final Set<Stream> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger moving = new AtomicInteger();
    private final AtomicLong lookedAt;

    /// @param clock like System.nanoTime
    OpenStreams(LongSupplier clock) {
        this.clock = clock;
        this.lookedAt = new AtomicLong(clock.getAsLong());
    }

    /// One of them, until it is closed. One thread at a time.
    final class Stream implements AutoCloseable {
        private final AtomicBoolean moves = new AtomicBoolean(true);
        private volatile long broughtAt = clock.getAsLong();

        private Stream() {}

        /// It has brought something.
        void moved() {
            broughtAt = clock.getAsLong();
            if (!moves.getAndSet(true)) {
                moving.incrementAndGet();
            }
        }

        private void restIfIdle(long now) {
            if (now - broughtAt > RESTS_AFTER_NANOS) {
                rest();
            }
        }

        private void rest() {
            if (moves.getAndSet(false)) {
                moving.decrementAndGet();
            }
        }

        @Override
        public void close() {
            open.remove(this);
            rest();
        }
    }

    Stream open() {
        var stream = new Stream();
        moving.incrementAndGet();
        open.add(stream);
        return stream;
    }

    /// Never blocks; looks at all of them now and then.
    int moving() {
        long now = clock.getAsLong();
        long before = lookedAt.get();
        if (now - before > LOOK_NANOS && lookedAt.compareAndSet(before, now)) {
            open.forEach(stream -> stream.restIfIdle(now));
        }
        return moving.get();
    }
}
