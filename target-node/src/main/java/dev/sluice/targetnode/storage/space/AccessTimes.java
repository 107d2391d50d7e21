package dev.sluice.targetnode.storage.space;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// When each copy on a drive was last read, to the minute; what was never read since it was stored counts as read
/// then. Only copies that the cloud has too are entered: nothing else is ever evicted.
///
/// A read costs a comparison; once a minute and object it leaves a word in memory, which goes to the index later
/// ([LateRows]). A crash may cost some order, nothing else. Beyond what may wait, reads go unnoticed.
public final class AccessTimes {
    private final CoarseClock minutes;
    private final DriveIndex index;
    private final LateRows<Long> pending = new LateRows<>(Table.ACCESS, IndexKeys::number);

    public AccessTimes(CoarseClock minutes, DriveIndex index) {
        this.minutes = minutes;
        this.index = index;
    }

    public long minute() {
        return minutes.now();
    }

    /// Never blocks for long: for event loops.
    public void read(ObjectKey key, long minute) {
        var _ = pending.put(key, minute);
    }

    /// Whether the copy was read after the last [#flush].
    public boolean isJustRead(ObjectKey key) {
        return pending.waiting(key).isPresent();
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
    public void flush() throws IOException {
        minutes.tick();
        pending.flush(index);
    }

    /// What is entered from one row of an object on, up to another: minutes. On a drive thread.
    public SortedMap<byte[], Long> between(byte[] from, byte[] end) throws IOException {
        var times = new TreeMap<byte[], Long>(Arrays::compareUnsigned);
        index.scan(Table.ACCESS, from, (row, value) -> {
            if (Arrays.compareUnsigned(row, end) >= 0) {
                return false;
            }
            times.put(row, IndexKeys.number(value));
            return true;
        });
        return times;
    }

    /// Enters the minutes of some rows, and forgets others. On a drive thread.
    public void enter(Map<byte[], Long> learnt, Collection<byte[]> gone) throws IOException {
        var batch = new IndexBatch();
        learnt.forEach((row, minute) -> batch.put(Table.ACCESS, row, IndexKeys.number(minute)));
        gone.forEach(row -> batch.delete(Table.ACCESS, row));
        if (!batch.isEmpty()) {
            index.write(batch, false);
        }
    }
}
