package dev.sluice.targetnode.storage.space;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// Rows of one table, by bucket id and key, that wait in memory and go to the index in batches without a sync. A crash
/// may cost what was not written yet. At most 8,192 wait (of keys of 1 KiB: some 10 MiB).
final class LateRows<V> {
    private static final int PENDING = 8192;
    private static final int BATCH = 1024;

    private final Table table;
    private final Function<V, byte[]> encoding;
    private final ConcurrentHashMap<ObjectKey, V> pending = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();

    LateRows(Table table, Function<V, byte[]> encoding) {
        this.table = table;
        this.encoding = encoding;
    }

    /// Never blocks for long: for event loops.
    ///
    /// @return false when too many wait: it is not taken
    boolean put(ObjectKey key, V value) {
        if (waiting.get() >= PENDING) {
            return false;
        }
        if (pending.put(key, value) == null) {
            waiting.incrementAndGet();
        }
        return true;
    }

    /// What the last [#flush] has not written.
    Optional<V> waiting(ObjectKey key) {
        return Optional.ofNullable(pending.get(key));
    }

    /// Whether a row is still to be written.
    interface Filter<V> {
        boolean isWanted(ObjectKey key, V value) throws IOException;
    }

    /// On a drive thread.
    void flush(DriveIndex index) throws IOException {
        flush(index, (_, _) -> true);
    }

    /// The others are forgotten. On a drive thread.
    void flush(DriveIndex index, Filter<V> filter) throws IOException {
        var entered = new ArrayList<Map.Entry<ObjectKey, V>>(BATCH);
        var batch = new IndexBatch();
        for (var each : pending.entrySet()) {
            var key = each.getKey();
            if (filter.isWanted(key, each.getValue())) {
                batch.put(table, IndexKeys.object(key.bucketId(), key.key()), encoding.apply(each.getValue()));
            }
            entered.add(each);
            if (entered.size() == BATCH) {
                write(index, batch, entered);
                batch = new IndexBatch();
            }
        }
        write(index, batch, entered);
    }

    private void write(DriveIndex index, IndexBatch batch, List<Map.Entry<ObjectKey, V>> entered) throws IOException {
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
