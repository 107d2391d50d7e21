package dev.sluice.targetnode.storage.files;

import dev.sluice.common.store.StoreException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// One drive's threads and their queue, both bounded, so that a slow drive delays only what needs it.
public final class DriveThreads implements AutoCloseable {
    /// Something that calls the drive's files or index.
    public interface Work<T> {
        T run() throws Exception;
    }

    private final String drive;
    private final ThreadPoolExecutor pool;

    public DriveThreads(String drive, int threads, int queue) {
        this.drive = drive;
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
    /// @return completes exceptionally with the work's own exception, or with Unavailable when the queue is full
    public <T> CompletableFuture<T> start(Work<T> work) {
        var result = new CompletableFuture<T>();
        try {
            pool.execute(() -> complete(result, work));
        } catch (RejectedExecutionException _) {
            result.completeExceptionally(new StoreException.Unavailable(
                    pool.isShutdown() ? drive + " is closed" : drive + " has too much to do"));
        }
        return result;
    }

    private static <T> void complete(CompletableFuture<T> result, Work<T> work) {
        try {
            result.complete(work.run());
        } catch (Throwable failure) {
            result.completeExceptionally(failure);
        }
    }

    /// Waits for started work. Cannot be interrupted: the drive may be using the caller's buffer.
    public static <T> T await(CompletableFuture<T> started) throws Exception {
        try {
            return started.join();
        } catch (CompletionException wrapped) {
            switch (wrapped.getCause()) {
                case Exception failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw wrapped;
            }
        }
    }

    public int waiting() {
        return pool.getQueue().size();
    }

    /// Lets what was started end.
    @Override
    public void close() {
        pool.close();
    }
}
