package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.awaitInMemory;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.change.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Prints what the store does in a second here. Judges nothing: machines differ.
@Tag("long")
class FiguresTest {
    @TempDir
    private Path folder;

    private static void rate(String what, long count, long since) {
        System.out.printf("%-40s %,12.0f /s%n", what, count * 1e9 / (System.nanoTime() - since));
    }

    private static void putMany(ObjectStore store, String set, int writers, int count, int size, Durability durability)
            throws Exception {
        var next = new AtomicInteger();
        var content = random(1, size);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            for (int i = 0; i < writers; i++) {
                running.add(threads.submit(() -> {
                    for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                        put(store, BUCKET, "%s/%08d".formatted(set, n), content, durability);
                    }
                    return count;
                }));
            }
            for (var each : running) {
                each.get();
            }
        }
    }

    @Test
    void figures() throws Exception {
        try (var store = open(drives(folder, 2))) {
            for (var durability : Durability.values()) {
                for (int writers : new int[] {1, 16, 64}) {
                    var set = "small-" + durability + writers;
                    putMany(store, set + "-warm-up", writers, 500, 4096, durability);
                    int count = writers == 1 ? 500 : 5000;
                    long start = System.nanoTime();
                    putMany(store, set, writers, count, 4096, durability);
                    rate("PUT 4 KiB, %s, %d writers".formatted(durability, writers), count, start);
                }
                putMany(store, "warm-up", 16, 20, 1 << 20, durability);
                long start = System.nanoTime();
                putMany(store, "large-" + durability, 16, 300, 1 << 20, durability);
                rate("PUT 1 MiB, %s, 16 writers".formatted(durability), 300, start);
            }
            hotReads(store);
            listing(store);
        }
    }

    private static void hotReads(ObjectStore store) throws IOException {
        get(store, "small-FSYNC64/00000001");
        awaitInMemory(store, "small-FSYNC64/00000001");
        for (int round = 0; round < 2; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < 500_000; i++) {
                try (var object =
                        store.hot(BUCKET.id(), "small-FSYNC64/00000001").orElseThrow()) {
                    assertThat(object.bytes().isPresent()).isTrue();
                }
            }
            rate("hot look-ups, one thread", 500_000, start);
        }
        long start = System.nanoTime();
        for (int i = 1000; i < 5000; i++) {
            get(store, "small-FSYNC64/%08d".formatted(i));
        }
        rate("cold look-ups of 4 KiB, page cache", 4000, start);
    }

    private static void listing(ObjectStore store) throws Exception {
        putMany(store, "list", 64, 60_000, 1, Durability.OS);
        for (int round = 0; round < 3; round++) {
            long start = System.nanoTime();
            int seen = 0;
            var after = "";
            while (true) {
                var page = store.list(BUCKET.id(), "list/", after, 1000);
                seen += page.size();
                if (page.size() < 1000) {
                    break;
                }
                after = page.getLast().key();
            }
            rate("LIST, keys", seen, start);
        }
    }
}
