package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/// Files at paths made from hashes that have lost their records: their keys are known when they are asked for.
final class KeylessFiles {
    private static final int AT_ONCE = 256;
    private static final byte[] ALL = {};

    private final DriveIndex index;
    private volatile boolean some;

    KeylessFiles(DriveIndex index) {
        this.index = index;
    }

    /// Whether a bucket has any: a listing would lack them.
    boolean areIn(long bucketId) throws IOException {
        return some && index.has(Table.KEYLESS, IndexKeys.number(bucketId));
    }

    /// Whether any bucket may have some; costs nothing.
    boolean mayBe() {
        return some;
    }

    boolean are() throws IOException {
        return index.has(Table.KEYLESS, ALL);
    }

    boolean is(long bucketId, String key) throws IOException {
        return some && index.get(Table.KEYLESS, row(bucketId, key)).isPresent();
    }

    private static byte[] row(long bucketId, String key) {
        return IndexKeys.object(bucketId, Layout.escapedName(key));
    }

    /// The key has an object now.
    void forget(long bucketId, String key, IndexBatch after) {
        if (some) {
            after.delete(Table.KEYLESS, row(bucketId, key));
        }
    }

    /// Those that were brought back with their records since they were noted are objects again, and those that were
    /// taken away are gone.
    void review(Contents contents) throws IOException {
        some = are();
        var rows = new ArrayList<byte[]>();
        index.scan(Table.KEYLESS, ALL, (row, _) -> {
            rows.add(row);
            if (rows.size() == AT_ONCE) {
                review(rows, contents);
            }
            return true;
        });
        review(rows, contents);
    }

    private void review(List<byte[]> rows, Contents contents) throws IOException {
        var after = new IndexBatch();
        for (var row : rows) {
            long bucketId = IndexKeys.number(row);
            try {
                bringBack(bucketId, Layout.escapedFolder(bucketId) + "/" + IndexKeys.keyOf(row), contents, after);
            } catch (NoSuchFileException _) {
                contents.usages().removed(bucketId, ObjectEntry.damaged(true));
                after.delete(Table.KEYLESS, row);
            }
        }
        rows.clear();
        if (!after.isEmpty()) {
            index.write(contents.usages().writeTo(after), true);
            some = are();
        }
    }

    private static void bringBack(long bucketId, String path, Contents contents, IndexBatch after) throws IOException {
        try {
            var head = contents.head(path);
            if (head.bucketId() == bucketId
                    && Layout.escaped(bucketId, head.key()).equals(path)) {
                contents.found(ObjectEntry.of(head, true), bucketId, head.key(), after);
            }
        } catch (DamagedRecordException _) {
            // it is as it was
        }
    }
}
