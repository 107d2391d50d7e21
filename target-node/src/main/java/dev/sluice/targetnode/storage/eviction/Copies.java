package dev.sluice.targetnode.storage.eviction;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.DriveStore;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.space.AccessTimes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/// The copies of some buckets' objects on one drive with the time of their last use, page by page: the two tables
/// have the same order, so a page of the one is merged with its stretch of the other. Memory is that of a page.
///
/// What has no time is asked for its record, once: an index that was rebuilt has none, nor has an object that the
/// cloud has not, which is left out.
final class Copies {
    private static final int PAGE = 1024;
    private static final long BLOCK = 4096;

    /// @param size what its going frees, about
    /// @param read the minute of its last use
    record Copy(BucketRef bucket, ObjectKey key, ObjectVersion version, long size, long read) {}

    /// Sees a page, and says whether it wants more.
    interface Visitor {
        boolean visit(List<Copy> page) throws IOException;
    }

    private final DriveStore store;
    private final AccessTimes accessTimes;
    private final Measure measure;

    /// What is to be freed.
    enum Measure {
        /// Room on the file system, which gives whole blocks.
        ROOM {
            @Override
            long of(long size) {
                return (size / BLOCK + 1) * BLOCK;
            }
        },
        /// Bytes of objects.
        BYTES {
            @Override
            long of(long size) {
                return size;
            }
        };

        abstract long of(long size);
    }

    Copies(DriveStore store, AccessTimes accessTimes, Measure measure) {
        this.store = store;
        this.accessTimes = accessTimes;
        this.measure = measure;
    }

    void visit(List<BucketRef> buckets, Visitor visitor) throws IOException {
        for (var bucket : buckets) {
            if (!visit(bucket, visitor)) {
                return;
            }
        }
    }

    private boolean visit(BucketRef bucket, Visitor visitor) throws IOException {
        var prefix = IndexKeys.number(bucket.id());
        for (var from = prefix; from.length > 0; ) {
            var entries = new TreeMap<byte[], ObjectEntry>(Arrays::compareUnsigned);
            store.scan(from, (key, value) -> {
                if (!IndexKeys.startsWith(key, prefix)) {
                    return false;
                }
                entries.put(key, ObjectEntry.decode(value));
                return entries.size() < PAGE;
            });
            boolean last = entries.size() < PAGE;
            var end = last ? IndexKeys.number(bucket.id() + 1) : IndexKeys.after(entries.lastKey());
            if (!visitor.visit(page(bucket, entries, accessTimes.between(from, end)))) {
                return false;
            }
            from = last ? new byte[0] : end;
        }
        return true;
    }

    private List<Copy> page(BucketRef bucket, SortedMap<byte[], ObjectEntry> entries, SortedMap<byte[], Long> times)
            throws IOException {
        var page = new ArrayList<Copy>(entries.size());
        var learnt = new TreeMap<byte[], Long>(Arrays::compareUnsigned);
        for (var each : entries.entrySet()) {
            var key = new ObjectKey(bucket.id(), IndexKeys.keyOf(each.getKey()));
            var time = Optional.ofNullable(times.remove(each.getKey()));
            if (time.isEmpty()) {
                time = stored(bucket, key.key());
                time.ifPresent(minute -> learnt.put(each.getKey(), minute));
            }
            var entry = each.getValue();
            time.ifPresent(
                    minute -> page.add(new Copy(bucket, key, entry.version(), measure.of(entry.size()), minute)));
        }
        // a time without an object is a late word of one that is gone
        accessTimes.enter(learnt, times.keySet());
        return page;
    }

    /// When a copy that the cloud has too was stored.
    private Optional<Long> stored(BucketRef bucket, String key) throws IOException {
        try {
            return store.present(bucket, key)
                    .filter(record -> record.backendVersion().isPresent())
                    .map(record -> TimeUnit.MILLISECONDS.toMinutes(record.createdMillis()));
        } catch (StoreException.Damaged _) {
            return Optional.empty(); // what is there cannot be told: a reader of it decides
        }
    }
}
