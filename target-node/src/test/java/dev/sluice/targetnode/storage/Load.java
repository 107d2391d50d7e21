package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Writers, each with keys of its own, that read and list what they wrote and know what may be there: the last value
/// that was acknowledged, or one that was tried since with unknown outcome.
final class Load implements AutoCloseable {
    private static final int ABSENT = -1;

    /// Seeds of the contents that a key may have; [#ABSENT] for none.
    record Values(Set<Integer> seeds) {
        static Values only(int seed) {
            return new Values(new LinkedHashSet<>(Set.of(seed)));
        }
    }

    private final WatchedDrives drives;
    private final BucketRef bucket;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<Map<String, Values>>> writers = new ArrayList<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean stopped;

    Load(WatchedDrives drives, BucketRef bucket, int writers, int keysEach) {
        this.drives = drives;
        this.bucket = bucket;
        for (int i = 0; i < writers; i++) {
            int number = i;
            this.writers.add(threads.submit(() -> write(number, keysEach)));
        }
    }

    /// Begins with its seed.
    private static byte[] content(int seed) {
        var content = Bytes.random(seed, seed % 5 == 0 ? 200_000 : 500);
        ByteBuffer.wrap(content).putInt(seed);
        return content;
    }

    private Map<String, Values> write(int number, int count) throws IOException {
        var random = new Random(number);
        var may = new TreeMap<String, Values>();
        for (int n = 0; !stopped; n++) {
            var key = "w" + number + "-" + random.nextInt(count);
            int seed = random.nextInt(10) == 0 ? ABSENT : number * 1_000_000 + n;
            var either = may.computeIfAbsent(key, _ -> Values.only(ABSENT));
            either.seeds().add(seed); // until it is acknowledged
            try {
                if (seed == ABSENT) {
                    drives.store.delete(bucket, key, WriteCheck.NONE, Durability.FSYNC);
                } else {
                    StoreFixture.put(drives.store, bucket, key, content(seed), Durability.FSYNC);
                }
                either = Values.only(seed);
                may.put(key, either);
                acknowledged.incrementAndGet();
                may.put(key, requireOne(drives.store, bucket, key, either));
                if (n % 4 == 0) {
                    requireListed("w" + number + "-", may);
                }
            } catch (StoreException.Unavailable | StoreException.DriveFailed _) {
                readIfPossible(may, key, either);
            }
            answered.incrementAndGet();
        }
        return may;
    }

    private void readIfPossible(Map<String, Values> may, String key, Values either) throws IOException {
        try {
            may.put(key, requireOne(drives.store, bucket, key, either));
        } catch (StoreException.Unavailable | StoreException.DriveFailed _) {
            refused.incrementAndGet(); // it says that it cannot know
            LockSupport.parkNanos(1_000_000); // there is no hurry
        }
    }

    private void requireListed(String prefix, Map<String, Values> may) {
        var listed = drives.store.list(bucket.id(), prefix, "", 1000).stream()
                .map(ListEntry::key)
                .toList();
        assertThat(listed).isSorted().doesNotHaveDuplicates();
        may.forEach((key, values) -> {
            if (!values.seeds().contains(ABSENT)) {
                assertThat(listed).as("%s is one of %s", key, values).contains(key);
            } else if (values.seeds().size() == 1) {
                assertThat(listed).as("%s is deleted", key).doesNotContain(key);
            }
        });
    }

    /// What is read once is what stays.
    private static Values requireOne(ObjectStore store, BucketRef bucket, String key, Values may) throws IOException {
        byte[] content;
        try {
            content = StoreFixture.get(store, bucket, key);
        } catch (StoreException.NoSuchKey _) {
            assertThat(may.seeds()).as("%s is missing", key).contains(ABSENT);
            return Values.only(ABSENT);
        }
        int seed = ByteBuffer.wrap(content).getInt();
        assertThat(may.seeds()).as("%s is %d", key, seed).contains(seed);
        assertThat(content).as("%s is %d", key, seed).isEqualTo(content(seed));
        return Values.only(seed);
    }

    static void requireAll(ObjectStore store, BucketRef bucket, Map<String, Values> written) throws IOException {
        for (var each : written.entrySet()) {
            requireOne(store, bucket, each.getKey(), each.getValue());
        }
    }

    /// Waits for so many acknowledgements more.
    void awaitProgress(long more) {
        await(more, acknowledged::get);
    }

    /// Waits for so many answers more, whether they were acknowledgements or not.
    void awaitAnswers(long more) {
        await(more, answered::get);
    }

    private void await(long more, LongSupplier count) {
        long until = count.getAsLong() + more;
        eventually(
                () -> count.getAsLong() >= until || writers.stream().anyMatch(Future::isDone),
                () -> count.getAsLong() + " of " + until);
    }

    /// How many reads met an outage.
    long refused() {
        return refused.get();
    }

    Map<String, Values> stop() throws Exception {
        stopped = true;
        var all = new TreeMap<String, Values>();
        for (var writer : writers) {
            all.putAll(writer.get());
        }
        return all;
    }

    @Override
    public void close() {
        stopped = true;
        threads.close();
    }
}
