package dev.sluice.targetnode.controller.files;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Writes one drive's copies of the cluster's state, one after the other, on threads of its own: a drive that hangs
/// keeps nobody else waiting, and one thread at most.
final class DriveWriter {
    private final StateDisk disk;
    private final Object lock = new Object();
    private Optional<Runnable> newest = Optional.empty();
    private boolean atWork;
    private boolean hasCopy;
    private long busySince;
    private CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

    DriveWriter(StateDisk disk) {
        this.disk = disk;
    }

    /// Whether the write that was begun last has not ended. Its thread may live a moment longer.
    boolean hangs() {
        synchronized (lock) {
            return !written.isDone();
        }
    }

    /// Whether the drive has a copy, took the one that ended last, and has not been busy for long: while changes come
    /// one after the other it always is.
    boolean isReady(Duration patience) {
        synchronized (lock) {
            return hasCopy && (written.isDone() || System.nanoTime() - busySince < patience.toNanos());
        }
    }

    /// Takes the place of what has not been begun yet.
    ///
    /// @return completes when it is written; not when another takes its place before
    CompletableFuture<Void> begin(StateDrive drive, byte[] head, byte[] state) {
        var done = new CompletableFuture<Void>();
        boolean starts;
        synchronized (lock) {
            busySince = written.isDone() ? System.nanoTime() : busySince;
            written = done;
            newest = Optional.of(() -> write(drive, head, state, done));
            starts = !atWork;
            atWork = true;
        }
        if (starts) {
            disk.start("state " + drive.id(), this::writeAll);
        }
        return done;
    }

    private void writeAll() {
        for (var next = next(); next.isPresent(); next = next()) {
            next.get().run();
        }
    }

    private Optional<Runnable> next() {
        synchronized (lock) {
            var next = newest;
            newest = Optional.empty();
            atWork = next.isPresent();
            busySince = atWork ? System.nanoTime() : busySince;
            return next;
        }
    }

    private void write(StateDrive drive, byte[] head, byte[] state, CompletableFuture<Void> done) {
        try {
            drive.presence().require();
            disk.write(drive.file(), head, state);
            ended(true);
            done.complete(null);
        } catch (IOException | RuntimeException failure) {
            ended(false);
            done.completeExceptionally(failure);
        }
    }

    private void ended(boolean well) {
        synchronized (lock) {
            hasCopy = well;
        }
    }

    /// Waits for the write that was begun last.
    ///
    /// @return why the drive does not have it
    Optional<String> awaitWritten(long deadline) {
        CompletableFuture<Void> waitedFor;
        synchronized (lock) {
            waitedFor = written;
        }
        try {
            waitedFor.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            return Optional.empty();
        } catch (ExecutionException failure) {
            return Optional.of(String.valueOf(failure.getCause()));
        } catch (TimeoutException _) {
            return Optional.of("it hangs");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted while it was written");
        }
    }
}
