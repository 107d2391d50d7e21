package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Clients that go on until they are stopped. What one of them has found wrong is thrown then.
final class Load implements AutoCloseable {
    private static final int KEYS = 12;
    private static final int MIB = 1 << 20;
    private static final int SMALLEST_KEPT_APART = 33_000;
    private static final int A_FAILURE = 1 << 20;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> clients = new ArrayList<>();
    private final Semaphore progress = new Semaphore(0);
    private volatile Duration pace = Duration.ZERO;
    private volatile boolean stopped;

    /// @param seed decides what each of the writers does
    Load withWriters(AcknowledgedWrites writes, int count, long seed) {
        for (int i = 0; i < count; i++) {
            var random = new Random(seed * 31 + i);
            int writer = i;
            with(() -> {
                long before = writes.count();
                step(writes, writer, random);
                progress.release(writes.count() > before ? 1 : 0);
            });
        }
        return this;
    }

    /// @param step what this client does, over and over
    Load with(Runnable step) {
        clients.add(threads.submit(() -> {
            try {
                while (!stopped) {
                    step.run();
                    LockSupport.parkNanos(pace.toNanos());
                }
            } catch (AssertionError | RuntimeException wrong) {
                progress.release(A_FAILURE);
                throw wrong;
            }
        }));
        return this;
    }

    /// Keys of its own: mostly small objects, now and then a large one, parts or a copy; old keys are written again,
    /// deleted and read.
    private static void step(AcknowledgedWrites writes, int writer, Random random) {
        var key = key(writer, random);
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> writes.delete(key);
            case 5 -> writes.put(key, MIB);
            case 6 -> writes.put(key, SMALLEST_KEPT_APART + random.nextInt(100_000));
            case 7, 8 -> writes.put("unsafe//" + key, 3000);
            case 9, 10 -> writes.copy(key, "copies/" + key(writer, random));
            case 11 -> writes.upload(key, random.nextInt(200_000));
            case 12 -> {
                if (random.nextInt(4) == 0) {
                    writes.upload(key, 5 * MIB, 1 + random.nextInt(100_000));
                }
            }
            case 13, 14 -> writes.read(key);
            default -> writes.put(key, random.nextInt(5000));
        }
    }

    private static String key(int writer, Random random) {
        return "%s/%d/%d".formatted(random.nextBoolean() ? "a" : "b/c", writer, random.nextInt(KEYS));
    }

    /// From now on each waits that long after each step, so that others get on too.
    void pace(Duration pause) {
        pace = pause;
    }

    /// From now on.
    void awaitAcknowledged(int changes) throws InterruptedException {
        progress.drainPermits();
        assertThat(progress.tryAcquire(changes, 2, TimeUnit.MINUTES))
                .as("%d changes were acknowledged in two minutes", changes)
                .isTrue();
    }

    /// Comes back when each has ended what it was at.
    void stop() throws Exception {
        stopped = true;
        for (var client : clients) {
            try {
                client.get();
            } catch (ExecutionException wrong) {
                throw new AssertionError("a client: " + wrong.getCause(), wrong.getCause());
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.close();
    }
}
