package dev.sluice.targetnode.storage.space;

import java.util.concurrent.TimeUnit;

/// The time, as coarse as uses of objects are remembered.
public interface CoarseClock {
    /// Minutes since 1970.
    long now();

    /// Called about twice a second: who asks [#now] for every read must not wait for the machine's clock.
    default void tick() {}

    /// The machine's clock, as of the latest tick. Where it takes a call to the kernel, it costs more than all else
    /// that a read of a hot object does about its time.
    static CoarseClock ofSystem() {
        return new CoarseClock() {
            private volatile long now = look();

            private static long look() {
                return TimeUnit.MILLISECONDS.toMinutes(System.currentTimeMillis());
            }

            @Override
            public long now() {
                return now;
            }

            @Override
            public void tick() {
                now = look();
            }
        };
    }
}
