package dev.sluice.cli.command;

import dev.sluice.cli.failure.CommandFailure;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/// Many objects, some at a time, with a line of progress on a terminal. Goes on after a failure and reports at the end.
public final class Transfer implements AutoCloseable {
    private static final int AT_A_TIME = 8;
    private static final int MOST_QUEUED = 1_000;
    private final LongAdder bytes = new LongAdder();
    private final LongAdder objects = new LongAdder();
    private final List<String> failures = new ArrayList<>();
    private final long began = System.nanoTime();
    private final ExecutorService threads =
            Executors.newFixedThreadPool(AT_A_TIME, Thread.ofVirtual().factory());
    private final Semaphore room = new Semaphore(MOST_QUEUED);
    private final Progress progress;

    /// What is done with one object.
    public interface Work {
        /// @param moved hears of its bytes as they go
        void run(LongConsumer moved) throws Exception;
    }

    /// The objects that were moved as a whole and their bytes, for people and programs.
    public record Summary(long objects, long bytes, double seconds, List<String> failures) {
        public String text(String verb) {
            return String.format(
                    Locale.ROOT,
                    "%s %d %s, %s in %.1f s (%s/s)",
                    verb,
                    objects,
                    objects == 1 ? "object" : "objects",
                    Amounts.bytes(bytes),
                    seconds,
                    Amounts.bytes((long) (bytes / Math.max(seconds, 0.001))));
        }
    }

    public Transfer(PrintWriter err) {
        progress = Progress.of(err, "all");
        progress.begin(-1);
    }

    /// Queues one object; waits while too many are queued.
    public void submit(String name, Work work) {
        room.acquireUninterruptibly();
        Future<?> _ = threads.submit(() -> {
            var ofThis = new LongAdder();
            try {
                work.run(count -> {
                    ofThis.add(count);
                    progress.moved(count);
                });
                objects.increment();
                progress.objects(objects.sum());
                bytes.add(ofThis.sum());
            } catch (CommandFailure failure) {
                failed(name, failure.reason());
            } catch (Exception failure) {
                failed(name, failure.toString());
            } finally {
                room.release();
            }
        });
    }

    public void failed(String name, String reason) {
        synchronized (failures) {
            failures.add(name + ": " + reason);
        }
    }

    public Summary finish() {
        threads.close();
        progress.close();
        synchronized (failures) {
            return new Summary(objects.sum(), bytes.sum(), (System.nanoTime() - began) / 1e9, List.copyOf(failures));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        progress.close();
    }
}
