package dev.sluice.targetnode.object;

import dev.sluice.targetnode.answer.CacheResult;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts the GETs that this target answers, and their bytes, for each bucket and cache result. Memory is bounded by
/// the number of buckets: [#retain] forgets those that are gone.
public final class BucketReads {
    private final Map<Long, Reads> byBucket = new ConcurrentHashMap<>();

    /// Of one bucket.
    public static final class Reads {
        private final Map<CacheResult, Count> byResult = new EnumMap<>(CacheResult.class);

        private Reads() {
            for (var result : CacheResult.values()) {
                byResult.put(result, new Count(new LongAdder(), new LongAdder()));
            }
        }

        private Count of(CacheResult result) {
            return Objects.requireNonNull(byResult.get(result));
        }

        public long gets(CacheResult result) {
            return of(result).gets().sum();
        }

        /// Those that were promised: a client that leaves early counts as a whole.
        public long bytes(CacheResult result) {
            return of(result).bytes().sum();
        }
    }

    private record Count(LongAdder gets, LongAdder bytes) {}

    /// Called for each GET, on event loops too: no lock and no wait.
    void count(long bucketId, CacheResult result, long bytes) {
        var known = byBucket.get(bucketId);
        var reads = known == null ? byBucket.computeIfAbsent(bucketId, _ -> new Reads()) : known;
        var count = reads.of(result);
        count.gets().increment();
        count.bytes().add(bytes);
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
