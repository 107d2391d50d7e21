package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.SmallDrive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Readers, fills, writers and deleters of a drive that always evicts: every answer is right.
@Timeout(120)
class EvictionRaceTest {
    private static final int KEYS = 64;
    private static final int OPERATIONS = System.getProperty("long") == null ? 200 : 500;
    private static final long DRIVE = 6 << 20;

    @TempDir
    private Path folder;

    private final AtomicIntegerArray begun = new AtomicIntegerArray(KEYS);
    private final AtomicIntegerArray done = new AtomicIntegerArray(KEYS);
    private final AtomicInteger refused = new AtomicInteger();

    /// The version is in the length, so that nothing is taken for another.
    private static byte[] content(int key, int version) {
        return random(key * 1000L + version, 1000 + (key * 7919 + version * 104_729) % 250_000);
    }

    @Test
    void nothingWrongIsReadAndNothingIsMissing() throws Exception {
        var small = new SmallDrive(folder.resolve("d1"), DRIVE);
        try (var target = new TargetFixture(folder, store -> store.reserve(200_000), small.seam());
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int key = 0; key < KEYS; key++) {
                target.inCloud("k" + key, content(key, 0));
            }
            var own = random(77, 300_000);
            target.put(target.own(), "own", own);
            target.evict();
            var running = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 8; i++) {
                int seed = i;
                running.add(clients.submit(() -> read(target, new Random(seed))));
            }
            for (int i = 0; i < 2; i++) {
                int half = i;
                running.add(clients.submit(() -> write(target, half, new Random(100 + half))));
            }
            for (var each : running) {
                assertThat(each.get()).isPositive();
            }
            assertThat(target.get(target.own(), "own").body()).isEqualTo(own);
            assertThat(target.store().evictions().getFirst().objects()).isGreaterThan(100);
            System.out.printf(
                    "evicted %d copies in %d runs, %d writes without room%n",
                    target.store().evictions().getFirst().objects(),
                    target.store().evictions().getFirst().enough(),
                    refused.get());
            target.requireNothingLeft();
        }
    }

    private int read(TargetFixture target, Random random) {
        for (int i = 0; i < OPERATIONS; i++) {
            int key = random.nextInt(KEYS);
            int from = done.get(key);
            var received = target.get(target.cached(), "k" + key);
            int to = begun.get(key);
            assertThat(received.broken()).as("k%d", key).isEqualTo(Optional.empty());
            assertThat(received.body()).as("k%d", key).satisfies(body -> {
                boolean right = false;
                for (int version = from; version <= to; version++) {
                    right |= java.util.Arrays.equals(body, content(key, version));
                }
                assertThat(right).as("versions %d to %d", from, to).isTrue();
            });
        }
        return OPERATIONS;
    }

    private int write(TargetFixture target, int half, Random random) throws IOException {
        for (int i = 0; i < OPERATIONS / 5; i++) {
            int key = random.nextInt(KEYS / 2) * 2 + half;
            int version = begun.incrementAndGet(key);
            while (true) {
                try {
                    assertThat(target.put(target.cached(), "k" + key, content(key, version))
                                    .status())
                            .isEqualTo(200);
                    break;
                } catch (StoreException.NoSpace _) {
                    refused.incrementAndGet();
                }
            }
            done.set(key, version);
        }
        return OPERATIONS;
    }
}
