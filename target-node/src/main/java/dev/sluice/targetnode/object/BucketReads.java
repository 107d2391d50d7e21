package dev.sluice.targetnode.object;

import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.peer.ReadCounts;
import dev.sluice.common.peer.RecentReads;
import dev.sluice.targetnode.answer.CacheResult;
import dev.sluice.targetnode.storage.pace.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts the GETs that this target answers, and their bytes, for each bucket and cache result. Memory is bounded by
/// the number of buckets: [#retain] forgets those that are gone.
public final class BucketReads {
    private final Map<Long, Reads> byBucket = new ConcurrentHashMap<>();
    private final Clock clock;

    public BucketReads(Clock clock) {
        this.clock = clock;
    }

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

        private final ReadHistory history = new ReadHistory();

        private ReadCounts counts() {
            long hits = gets(CacheResult.HIT);
            long hitBytes = bytes(CacheResult.HIT);
            long gets = 0;
            long bytes = 0;
            for (var count : byResult.values()) {
                gets += count.gets().sum();
                bytes += count.bytes().sum();
            }
            // clients go on meanwhile
            return new ReadCounts(hits, Math.max(0, gets - hits), bytes, Math.max(0, bytes - hitBytes));
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
    public void count(long bucketId, CacheResult result, long bytes) {
        var known = byBucket.get(bucketId);
        var reads = known == null ? byBucket.computeIfAbsent(bucketId, _ -> new Reads()) : known;
        var count = reads.of(result);
        count.gets().increment();
        count.bytes().add(bytes);
    }

    /// The same of an answer that is to be sent.
    void count(long bucketId, CacheResult result, Response answer) {
        count(
                bucketId,
                result,
                switch (answer.body()) {
                    case ResponseBody.Bytes(var bytes) -> bytes.remaining();
                    case ResponseBody.FileRange range -> range.length();
                    case ResponseBody.Streamed streamed -> streamed.length();
                    case ResponseBody.LengthOnly _ -> 0;
                });
    }

    /// Remembers how the counts stand, so that what came lately is known: to be called every few seconds.
    public void record() {
        long now = clock.nanos();
        byBucket.values().forEach(reads -> reads.history.record(now, reads.counts()));
    }

    /// @param unchecked requests that were served without the cloud's word, since the start
    public RecentReads recent(long bucketId, long unchecked) {
        return Optional.ofNullable(byBucket.get(bucketId))
                .map(reads -> reads.history.recent(clock.nanos(), reads.counts(), unchecked))
                .orElse(RecentReads.NONE);
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
