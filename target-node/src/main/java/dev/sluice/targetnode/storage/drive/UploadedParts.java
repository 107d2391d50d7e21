package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.PackedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// How many unfinished multipart uploads each bucket has, and how many bytes their parts. Added up from the index when
/// a drive
/// is opened, and from then on fed with every batch that concerns uploads, by both threads that commit. Keeps a few
/// words for each upload, none for its parts. Read by any thread.
final class UploadedParts {
    private static final int ID = 32;
    private static final int PART_FORMAT = 1;

    private record Upload(long bucketId, long bytes) {}

    private final Map<String, Upload> uploads = new HashMap<>(); // of this object's lock, as each change is
    private final Map<Long, Long> bytes = new ConcurrentHashMap<>();
    private final Map<Long, Integer> counts = new ConcurrentHashMap<>();

    long of(long bucketId) {
        return bytes.getOrDefault(bucketId, 0L);
    }

    int count(long bucketId) {
        return counts.getOrDefault(bucketId, 0);
    }

    void load(DriveIndex index) throws IOException {
        index.scan(Table.UPLOADS, new byte[0], (key, _) -> {
            begun(key);
            return true;
        });
        index.scan(Table.PARTS, new byte[0], (key, value) -> {
            grown(text(key, 0, ID), size(value));
            return true;
        });
    }

    /// Batches that are written together.
    final class Group {
        private final DriveIndex before;
        private final Map<String, Long> sizes = new HashMap<>();

        Group(DriveIndex before) {
            this.before = before;
        }

        /// To be told of each batch before the index has it.
        void add(IndexBatch batch) throws IOException {
            for (var change : batch.changes()) {
                if (change.table() == Table.PARTS && change.kind() == IndexBatch.Kind.PUT) {
                    put(change.key(), size(change.operand()));
                } else if (change.table() == Table.UPLOADS) {
                    switch (change.kind()) {
                        case PUT -> begun(change.key());
                        case DELETE -> ended(change.key());
                        case DELETE_RANGE -> {} // a bucket's, which [#dropped] tells of
                    }
                }
            }
        }

        private void put(byte[] key, long size) throws IOException {
            var known = sizes.put(text(key, 0, key.length), size);
            if (known == null) {
                var stored = before.get(Table.PARTS, key);
                known = stored.isEmpty() ? 0L : size(stored.get());
            }
            grown(text(key, 0, ID), size - known);
        }
    }

    private synchronized void begun(byte[] key) {
        long bucketId = IndexKeys.number(key);
        if (uploads.putIfAbsent(text(key, key.length - ID, ID), new Upload(bucketId, 0)) == null) {
            counts.merge(bucketId, 1, Integer::sum);
        }
    }

    private synchronized void ended(byte[] key) {
        var gone = uploads.remove(text(key, key.length - ID, ID));
        if (gone != null) {
            add(gone.bucketId, -gone.bytes);
            counts.computeIfPresent(gone.bucketId, (_, now) -> now == 1 ? null : now - 1);
        }
    }

    private synchronized void grown(String id, long by) {
        var upload = uploads.computeIfPresent(id, (_, now) -> new Upload(now.bucketId, now.bytes + by));
        if (upload != null) {
            add(upload.bucketId, by);
        }
    }

    private void add(long bucketId, long by) {
        bytes.merge(bucketId, by, (now, more) -> now + more == 0 ? null : now + more);
    }

    synchronized void dropped(long bucketId) {
        uploads.values().removeIf(upload -> upload.bucketId == bucketId);
        bytes.remove(bucketId);
        counts.remove(bucketId);
    }

    private static String text(byte[] key, int from, int length) {
        return new String(key, from, length, StandardCharsets.ISO_8859_1);
    }

    /// A part's value begins with its number and its size.
    private static long size(byte[] part) throws IOException {
        var in = new PackedReader("a part", part, PART_FORMAT);
        in.number();
        return in.number();
    }
}
