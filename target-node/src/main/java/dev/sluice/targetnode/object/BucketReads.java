package dev.sluice.targetnode.object;

import dev.sluice.targetnode.answer.CacheResult;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts the GETs that this target answers, and their bytes, for each bucket and cache result. Memory is bounded by
/// the number of buckets: [#retain] forgets those that are gone.
public final class BucketReads {
    private static final CacheResult[] RESULTS = CacheResult.values();

    private final Map<Long, Reads> byBucket = new ConcurrentHashMap<>();

    /// Of one bucket.
    public static final class Reads {
        private final LongAdder[] gets = adders();
        private final LongAdder[] bytes = adders();

        private static LongAdder[] adders() {
            var adders = new LongAdder[RESULTS.length];
            for (int i = 0; i < adders.length; i++) {
                adders[i] = new LongAdder();
            }
            return adders;
        }

        public long gets(CacheResult result) {
            return gets[result.ordinal()].sum();
        }

        /// Those that were promised: a client that leaves early counts as a whole.
        public long bytes(CacheResult result) {
            return bytes[result.ordinal()].sum();
        }
    }

    /// Called for each GET, on event loops too: no lock and no wait.
    void count(long bucketId, CacheResult result, long bytes) {
        var known = byBucket.get(bucketId);
        var reads = known == null ? byBucket.computeIfAbsent(bucketId, _ -> new Reads()) : known;
        reads.gets[result.ordinal()].increment();
        reads.bytes[result.ordinal()].add(bytes);
    }

    /// Forgets all other buckets.
    public void retain(Set<Long> bucketIds) {
        byBucket.keySet().retainAll(bucketIds);
    }

    /// By the id of each bucket that was read.
    public Map<Long, Reads> now() {
        return Map.copyOf(byBucket);
    }
}
