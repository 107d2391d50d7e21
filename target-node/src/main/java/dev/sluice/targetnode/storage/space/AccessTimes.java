package dev.sluice.targetnode.storage.space;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;

/// When each copy on a drive was last read, to the minute; what was never read since it was stored counts as read
/// then. Only copies that the cloud has too are entered: nothing else is ever evicted.
///
/// A read costs a comparison; once a minute and object it leaves a word in memory, which goes to the index later
/// ([LateRows]). A crash may cost some order, nothing else. Beyond what may wait, reads go unnoticed.
public final class AccessTimes {
    private final CoarseClock minutes;
    private final LateRows<Long> pending = new LateRows<>(Table.ACCESS, IndexKeys::number);

    public AccessTimes(CoarseClock minutes) {
        this.minutes = minutes;
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
    public void flush(DriveIndex index) throws IOException {
        minutes.tick();
        pending.flush(index);
    }
}
