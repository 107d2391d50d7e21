package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Objects are written, replaced and deleted as fast as it goes while scrub follows scrub: none of it is damage, and
/// what a model says is there is there in the end.
@Timeout(120)
class ScrubStressTest {
    private static final int WRITERS = 6;
    private static final Duration LENGTH = Duration.ofSeconds(6);
    private static final List<String> KEYS = List.of("a", "a/b", "a/b/c", "dir/", "x//y", "plain", "z", "a-", "zz/1");

    @TempDir
    private Path folder;

    @Test
    void whatIsWrittenMeanwhileIsNoFinding() throws Exception {
        long seed = System.nanoTime();
        try (var target = new ScrubFixture(drives(folder, 1));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long end = System.nanoTime() + LENGTH.toNanos();
            var writers = new ArrayList<Future<Map<String, Long>>>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                writers.add(threads.submit(() -> write(target.store, writer, new Random(seed + writer), end)));
            }
            int passes = 0;
            while (System.nanoTime() < end) {
                assertThat(target.scrub()).as("seed %d", seed).isEmpty();
                passes++;
            }
            long objects = 0;
            for (var writer : writers) {
                var model = writer.get();
                objects += model.size();
                for (var entry : model.entrySet()) {
                    assertThat(get(target.store, entry.getKey())).isEqualTo(content(entry.getValue()));
                }
            }
            assertThat(target.scrub()).as("seed %d, in the end", seed).isEmpty();
            assertThat(target.status().objects()).isEqualTo(objects);
            assertThat(passes).isGreaterThan(3);
        }
    }

    /// @return what this writer's keys have in the end, by the seed of their content
    private static Map<String, Long> write(ObjectStore store, int writer, Random random, long end) {
        var model = new TreeMap<String, Long>();
        while (System.nanoTime() < end) {
            var key = writer + "/" + KEYS.get(random.nextInt(KEYS.size()));
            var durability = random.nextBoolean() ? Durability.FSYNC : Durability.OS;
            if (random.nextInt(4) == 0) {
                store.delete(BUCKET, key, WriteCheck.NONE, durability);
                model.remove(key);
            } else {
                long seed = random.nextLong();
                put(store, key, seed, durability);
                model.put(key, seed);
            }
        }
        return model;
    }

    /// Small and large ones, with details of their own and without.
    private static byte[] content(long seed) {
        return random(seed, seed % 3 == 0 ? 2_200_000 : 3000);
    }

    private static void put(ObjectStore store, String key, long seed, Durability durability) {
        var content = content(seed);
        var metadata = new TreeMap<>(Map.of("m", "x".repeat(seed % 2 == 0 ? 5000 : 5)));
        try (var upload = store.begin(BUCKET, key, content.length, durability)) {
            upload.write(ByteBuffer.wrap(content));
            upload.commit(new CommitTerms(
                    "e", Map.of(), new TreeMap<>(), metadata, Optional.empty(), Optional.empty(), WriteCheck.NONE));
        }
    }
}
