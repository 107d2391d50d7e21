package dev.sluice.targetnode.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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

/// Writers, each with keys of its own, that read what they wrote and know what may be there: the last value that was
/// acknowledged, or one that was tried since with unknown outcome.
final class Load implements AutoCloseable {
    private static final int ABSENT = -1;

    /// Seeds of the contents that a key may have; [#ABSENT] for none.
    record Values(Set<Integer> seeds) {
        static Values only(int seed) {
            return new Values(Set.of(seed));
        }

        Values or(int seed) {
            var more = new LinkedHashSet<>(seeds);
            more.add(seed);
            return new Values(more);
        }
    }

    private final WatchedDrives drives;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<Map<String, Values>>> writers = new ArrayList<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean stopped;

    Load(WatchedDrives drives, int writers, int keysEach) {
        this.drives = drives;
        for (int i = 0; i < writers; i++) {
            int number = i;
            this.writers.add(threads.submit(() -> write(number, keysEach)));
        }
    }

    private static byte[] content(int seed) {
        return StoreFixture.random(seed, seed % 5 == 0 ? 200_000 : 500);
    }

    private Map<String, Values> write(int number, int count) throws IOException {
        var random = new Random(number);
        var may = new TreeMap<String, Values>();
        for (int n = 0; !stopped; n++) {
            var key = "w" + number + "-" + random.nextInt(count);
            var now = may.getOrDefault(key, Values.only(ABSENT));
            int seed = random.nextInt(10) == 0 ? ABSENT : number * 1_000_000 + n;
            var either = now.or(seed); // until it is acknowledged
            may.put(key, either);
            try {
                if (seed == ABSENT) {
                    StoreFixture.delete(drives.store, key);
                } else {
                    StoreFixture.put(drives.store, key, content(seed));
                }
                either = Values.only(seed);
                may.put(key, either);
                acknowledged.incrementAndGet();
                may.put(key, requireOne(drives.store, key, either));
            } catch (StoreException.Unavailable | StoreException.DriveFailed _) {
                readIfPossible(may, key, either);
            }
        }
        return may;
    }

    private void readIfPossible(Map<String, Values> may, String key, Values either) throws IOException {
        try {
            may.put(key, requireOne(drives.store, key, either));
        } catch (StoreException.Unavailable | StoreException.DriveFailed _) {
            refused.incrementAndGet(); // it says that it cannot know
        }
    }

    /// What is read once is what stays.
    private static Values requireOne(ObjectStore store, String key, Values may) throws IOException {
        byte[] content;
        try {
            content = StoreFixture.get(store, key);
        } catch (StoreException.NoSuchKey _) {
            assertThat(may.seeds()).as("%s is missing", key).contains(ABSENT);
            return Values.only(ABSENT);
        }
        var found = may.seeds().stream()
                .filter(seed -> seed != ABSENT && Arrays.equals(content, content(seed)))
                .findFirst();
        assertThat(found).as("%s is none of %s", key, may).isPresent();
        return Values.only(found.get());
    }

    static void requireAll(ObjectStore store, Map<String, Values> written) throws IOException {
        for (var each : written.entrySet()) {
            requireOne(store, each.getKey(), each.getValue());
        }
    }

    /// Waits for so many acknowledgements more.
    void awaitProgress(long more) {
        long until = acknowledged.get() + more;
        WatchedDrives.eventually(
                () -> acknowledged.get() >= until || writers.stream().anyMatch(Future::isDone),
                () -> acknowledged.get() + " of " + until + " acknowledged");
    }

    Map<String, Values> stop() throws Exception {
        stopped = true;
        assertThat(refused).as("reads that met an outage").hasPositiveValue();
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
