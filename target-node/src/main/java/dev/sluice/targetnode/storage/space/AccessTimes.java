package dev.sluice.targetnode.storage.space;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// When each copy on a drive was last read, to the minute; what was never read since it was stored counts as read
/// then. Only copies that the cloud has too are entered: nothing else is ever evicted.
///
/// A read costs a comparison; once a minute and object it leaves a word in memory, which goes to the index
/// in batches without a sync. A crash may cost what was not written yet, and so some order, nothing else. At most
/// 8,192 words wait (of keys of 1 KiB: some 10 MiB); beyond that reads go unnoticed until the next batch.
public final class AccessTimes {
    private static final int PENDING = 8192;
    private static final int BATCH = 1024;

    private final CoarseClock minutes;
    private final ConcurrentHashMap<ObjectKey, Long> pending = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();

    public AccessTimes(CoarseClock minutes) {
        this.minutes = minutes;
    }

    public long minute() {
        return minutes.now();
    }

    /// Never blocks for long: for event loops.
    public void read(ObjectKey key, long minute) {
        if (waiting.get() < PENDING && pending.put(key, minute) == null) {
            waiting.incrementAndGet();
        }
    }

    /// Whether the copy was read after the last [#flush].
    public boolean isJustRead(ObjectKey key) {
        return pending.containsKey(key);
    }

    /// What is to be entered together with an object: something for a copy of what the cloud has too.
    public IndexBatch stored(ObjectRecord record) {
        return record.backendVersion().isEmpty()
                ? new IndexBatch()
                : new IndexBatch()
                        .put(
                                Table.ACCESS,
                                IndexKeys.object(record.bucketId(), record.key()),
                                IndexKeys.number(minute()));
    }

    /// Enters what was read. On a drive thread.
    public void flush(DriveIndex index) throws IOException {
        minutes.tick();
        var entered = new ArrayList<Map.Entry<ObjectKey, Long>>(BATCH);
        var batch = new IndexBatch();
        for (var each : pending.entrySet()) {
            var key = each.getKey();
            batch.put(Table.ACCESS, IndexKeys.object(key.bucketId(), key.key()), IndexKeys.number(each.getValue()));
            entered.add(each);
            if (entered.size() == BATCH) {
                write(index, batch, entered);
                batch = new IndexBatch();
            }
        }
        write(index, batch, entered);
    }

    private void write(DriveIndex index, IndexBatch batch, List<Map.Entry<ObjectKey, Long>> entered)
            throws IOException {
        if (entered.isEmpty()) {
            return;
        }
        index.write(batch, false);
        for (var each : entered) {
            if (pending.remove(each.getKey(), each.getValue())) {
                waiting.decrementAndGet();
            }
        }
        entered.clear();
    }
}
