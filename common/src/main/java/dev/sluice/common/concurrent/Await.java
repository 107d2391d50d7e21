package dev.sluice.common.concurrent;

import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Waits for what other threads do. What they fail with is thrown here: itself where it is unchecked, else a
/// [CompletionException] of it. Whoever is interrupted while waiting gets [StoreException.Unavailable], and
/// stays interrupted.
public final class Await {
    private Await() {}

    /// A wait that can be interrupted.
    public interface Wait<T> {
        T run() throws InterruptedException;
    }

    public static <T> T of(Future<T> work) {
        return interruptible(() -> {
            try {
                return work.get();
            } catch (ExecutionException failure) {
                throw unchecked(failure);
            }
        });
    }

    /// The same of work where anything but a StoreException is a bug of ours, and not of what it was given.
    ///
    /// @throws IllegalStateException what else it failed with
    public static <T> T task(Future<T> work) {
        try {
            return of(work);
        } catch (StoreException known) {
            throw known;
        } catch (RuntimeException bug) {
            throw new IllegalStateException("a bug", bug);
        }
    }

    /// @return empty when the time is over before
    public static <T> Optional<T> within(Duration limit, Future<T> work) {
        return interruptible(() -> {
            try {
                return Optional.of(work.get(limit.toNanos(), TimeUnit.NANOSECONDS));
            } catch (TimeoutException _) {
                return Optional.<T>empty();
            } catch (ExecutionException failure) {
                throw unchecked(failure);
            }
        });
    }

    /// The same, but an interruption does not end the wait: the other thread may be using the caller's buffer.
    public static <T> T whole(CompletableFuture<T> work) {
        try {
            return work.join();
        } catch (CompletionException failure) {
            throw unchecked(failure);
        }
    }

    /// The same of work that may fail with an IOException, which is thrown as such.
    public static <T> T io(CompletableFuture<T> work) throws IOException {
        try {
            return whole(work);
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof IOException broken) {
                throw broken;
            }
            throw failure;
        }
    }

    public static <T> T interruptible(Wait<T> wait) {
        try {
            return wait.run();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
    }

    /// Lets some time pass, before something is tried again.
    public static void pause(Duration time) {
        boolean _ = interruptible(() -> {
            Thread.sleep(time);
            return true;
        });
    }

    /// Waits for the end of a thread.
    ///
    /// An interruption ends the wait, without an exception.
    public static void end(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// What a future failed with, out of what futures wrap it in.
    public static Throwable reason(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException
                ? Optional.ofNullable(failure.getCause()).orElse(failure)
                : failure;
    }

    /// The same, to be thrown.
    public static RuntimeException unchecked(Throwable failure) {
        return switch (reason(failure)) {
            case RuntimeException known -> known;
            case Error fatal -> throw fatal;
            case Throwable checked -> new CompletionException(checked);
        };
    }
}
