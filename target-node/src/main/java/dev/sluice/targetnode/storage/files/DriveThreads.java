package dev.sluice.targetnode.storage.files;

import dev.sluice.common.store.StoreException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// One drive's threads and their queue, both bounded, so that a slow drive delays only what needs it.
public final class DriveThreads implements AutoCloseable {
    /// Something that calls the drive's files or index.
    public interface Work<T> {
        T run() throws Exception;
    }

    /// The same without a result.
    public interface Step {
        void run() throws Exception;
    }

    private final String drive;
    private final ThreadPoolExecutor pool;
    private final long bytesLimit;
    private final AtomicLong bytes = new AtomicLong();

    /// Where no bytes are written.
    public DriveThreads(String drive, int threads, int queue) {
        this(drive, threads, queue, 0);
    }

    /// @param queue how much may wait for the threads
    /// @param bytesLimit how many bytes of bodies may be in the hands of this drive
    public DriveThreads(String drive, int threads, int queue, long bytesLimit) {
        this.drive = drive;
        this.bytesLimit = bytesLimit;
        var count = new AtomicInteger();
        this.pool = new ThreadPoolExecutor(
                threads,
                threads,
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(queue),
                work -> new DriveThread(work, drive + "-" + count.incrementAndGet()));
        pool.allowCoreThreadTimeOut(true);
    }

    /// Never blocks.
    ///
    /// @return completes exceptionally with the work's own exception, or with Busy when the queue is full
    public <T> CompletableFuture<T> start(Work<T> work) {
        var result = new CompletableFuture<T>();
        queue(result, () -> result.complete(work.run()));
        return result;
    }

    /// The same without a result.
    public CompletableFuture<Void> startStep(Step step) {
        var result = new CompletableFuture<Void>();
        queue(result, () -> {
            step.run();
            result.complete(null);
        });
        return result;
    }

    /// Writes a piece of a body, which stays in memory until then.
    ///
    /// @return as of [#start]; Busy also when the pieces before it are already too many bytes
    public CompletableFuture<Void> startWriting(int length, Step step) {
        if (bytes.addAndGet(length) > Math.max(bytesLimit, length)) {
            bytes.addAndGet(-length);
            return CompletableFuture.failedFuture(tooMuch());
        }
        return startStep(step).whenComplete((_, _) -> bytes.addAndGet(-length));
    }

    /// Before a body is taken in whose pieces would be refused.
    ///
    /// @throws StoreException.Busy when there is no room in the queue now
    public void requireRoom() {
        if (pool.getQueue().remainingCapacity() == 0 || bytes.get() >= bytesLimit) {
            throw tooMuch();
        }
    }

    private void queue(CompletableFuture<?> result, Step step) {
        try {
            pool.execute(() -> {
                try {
                    step.run();
                } catch (Throwable failure) {
                    result.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException _) {
            result.completeExceptionally(
                    pool.isShutdown() ? new StoreException.Unavailable(drive + " is closed") : tooMuch());
        }
    }

    private StoreException tooMuch() {
        return new StoreException.Busy("drive " + drive + ": queue full, retry");
    }

    public int waiting() {
        return pool.getQueue().size();
    }

    public long waitingBytes() {
        return bytes.get();
    }

    /// Lets what was started end.
    @Override
    public void close() {
        pool.close();
    }
}
