package dev.sluice.targetnode.controller;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Writes one drive's copies of the cluster's state, one after the other, on threads of its own: a drive that hangs
/// keeps
/// nobody else waiting, and one thread at most.
final class DriveWriter {
    private final StateDisk disk;
    private final Object lock = new Object();
    private Optional<Runnable> newest = Optional.empty();
    private boolean atWork;
    private boolean begun;
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

    /// Whether the drive has a copy, and took the one that was begun last.
    boolean isReady() {
        synchronized (lock) {
            return begun && written.isDone() && !written.isCompletedExceptionally();
        }
    }

    /// Takes the place of what has not been begun yet.
    void begin(StateDrive drive, byte[] head, byte[] state) {
        var done = new CompletableFuture<Void>();
        boolean starts;
        synchronized (lock) {
            begun = true;
            written = done;
            newest = Optional.of(() -> write(drive, head, state, done));
            starts = !atWork;
            atWork = true;
        }
        if (starts) {
            disk.start("state " + drive.id(), this::writeAll);
        }
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
            return next;
        }
    }

    private void write(StateDrive drive, byte[] head, byte[] state, CompletableFuture<Void> done) {
        try {
            drive.presence().require();
            disk.write(drive.file(), head, state);
            done.complete(null);
        } catch (IOException | RuntimeException failure) {
            done.completeExceptionally(failure);
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
