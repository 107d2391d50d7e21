package dev.sluice.common.concurrent;

import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// A call that many make at the same time: one runs at a time, and all who come while it runs share the next. So the
/// outcome that somebody gets is always of a call that began after they came.
public final class SharedCall<T> {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final Supplier<T> call;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile long begun; // changed by who has the turn
    private Optional<Outcome<T>> last = Optional.empty();

    private record Outcome<T>(long number, Optional<T> result, Optional<RuntimeException> failure) {
        T get() {
            if (failure.isPresent()) {
                throw failure.get();
            }
            return result.orElseThrow();
        }
    }

    public SharedCall(Supplier<T> call) {
        this.call = call;
    }

    /// Blocks; behind others as long as the caller's [Deadline] lets it.
    ///
    /// @throws RuntimeException what the call failed with
    /// @throws StoreException.Unavailable when it did not come to its turn
    public T get() {
        long needed = begun + 1;
        takeTurn();
        try {
            if (last.filter(outcome -> outcome.number >= needed).isEmpty()) {
                long number = begun + 1;
                begun = number;
                last = Optional.of(made(number));
            }
            return last.get().get();
        } finally {
            turn.unlock();
        }
    }

    private void takeTurn() {
        try {
            if (!turn.tryLock(Deadline.atMost(LONGEST).toNanos(), TimeUnit.NANOSECONDS)) {
                throw new StoreException.Unavailable("others wait for the same answer, and it takes too long");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
    }

    private Outcome<T> made(long number) {
        try {
            return new Outcome<>(number, Optional.of(call.get()), Optional.empty());
        } catch (RuntimeException failure) {
            return new Outcome<>(number, Optional.empty(), Optional.of(failure));
        }
    }
}
