package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;

/// Lists keys in the order of their UTF-8 bytes by merging what the drives' indexes hold. Each drive is asked for
/// its share of the page, and for more only when its keys run out first.
final class Listing {
    private static final int SLACK = 16;

    /// What there is of a key, while nobody changes it; empty when there is nothing.
    interface Newest {
        Optional<ObjectEntry> of(String key);
    }

    private static final class Row {
        private final byte[] key;
        private final ObjectEntry entry;

        Row(byte[] key, ObjectEntry entry) {
            this.key = key;
            this.entry = entry;
        }
    }

    /// One drive's rows, fetched as needed.
    private static final class Source {
        private final Drive drive;
        private final byte[] prefix;
        private final int step;
        private final ArrayDeque<Row> rows = new ArrayDeque<>();
        private byte[] from;
        private boolean ended;

        Source(Drive drive, byte[] prefix, byte[] from, int step) {
            this.drive = drive;
            this.prefix = prefix;
            this.from = from;
            this.step = step;
        }

        boolean fill() {
            if (rows.isEmpty() && !ended) {
                drive.call(() -> {
                    drive.contents().index().scan(Table.OBJECTS, from, (key, value) -> {
                        if (!IndexKeys.startsWith(key, prefix)) {
                            return false;
                        }
                        rows.add(new Row(key, ObjectEntry.decode(value)));
                        return rows.size() < step;
                    });
                    return rows;
                });
                ended = rows.size() < step;
                if (!rows.isEmpty()) {
                    from = IndexKeys.after(rows.getLast().key);
                }
            }
            return !rows.isEmpty();
        }

        byte[] first() {
            return rows.getFirst().key;
        }
    }

    private Listing() {}

    /// @param even whether each drive's entries are the newest there are
    /// @param newest asked of the keys that some drive's notes speak against
    static List<ListEntry> list(
            List<Drive> drives, boolean even, Newest newest, long bucketId, String prefix, String first, int limit) {
        var prefixKey = IndexKeys.object(bucketId, prefix);
        var firstKey = IndexKeys.object(bucketId, first);
        var from = Arrays.compareUnsigned(firstKey, prefixKey) < 0 ? prefixKey : firstKey;
        int step = limit / drives.size() + SLACK;
        var sources = new PriorityQueue<Source>(Comparator.comparing(Source::first, Arrays::compareUnsigned));
        for (var drive : drives) {
            var source = new Source(drive, prefixKey, from, step);
            if (source.fill()) {
                sources.add(source);
            }
        }
        var page = new ArrayList<ListEntry>(Math.min(limit, 1 << 16));
        while (page.size() < limit && !sources.isEmpty()) {
            var rows = next(sources, limit - page.size());
            if (!even) {
                removeDeleted(rows, outOfDate(rows, drives, bucketId), newest);
            }
            for (var row : rows) {
                page.add(new ListEntry(
                        IndexKeys.keyOf(row.key), row.entry.size(), row.entry.etag(), row.entry.modifiedMillis()));
            }
        }
        return page;
    }

    /// One page made of two, which were listed one after the other: a key that was moved from drive to drive while one
    /// of them was listed is in the other.
    static List<ListEntry> either(List<ListEntry> earlier, List<ListEntry> later, int limit) {
        var all = new TreeMap<byte[], ListEntry>(Arrays::compareUnsigned);
        earlier.forEach(entry -> all.put(IndexKeys.utf8(entry.key()), entry));
        later.forEach(entry -> all.put(IndexKeys.utf8(entry.key()), entry));
        return all.values().stream().limit(limit).toList();
    }

    /// Of each key the newest entry.
    private static List<Row> next(PriorityQueue<Source> sources, int limit) {
        var rows = new ArrayList<Row>(Math.min(limit, 1 << 16));
        while (!sources.isEmpty()) {
            var source = sources.remove();
            var row = source.rows.removeFirst();
            boolean again = !rows.isEmpty() && Arrays.equals(rows.getLast().key, row.key);
            if (!again && rows.size() == limit) {
                source.rows.addFirst(row);
                sources.add(source);
                return rows;
            }
            if (!again) {
                rows.add(row);
            } else if (row.entry.version().compareTo(rows.getLast().entry.version()) > 0) {
                rows.set(rows.size() - 1, row);
            }
            if (source.fill()) {
                sources.add(source);
            }
        }
        return rows;
    }

    /// What a drive still has that was deleted while it was away is listed by it alone; but what is just being
    /// overwritten looks the same.
    private static void removeDeleted(List<Row> rows, Set<String> outOfDate, Newest newest) {
        if (outOfDate.isEmpty()) {
            return;
        }
        for (var each = rows.listIterator(); each.hasNext(); ) {
            var row = each.next();
            var key = IndexKeys.keyOf(row.key);
            if (outOfDate.contains(key)) {
                newest.of(key).ifPresentOrElse(entry -> each.set(new Row(row.key, entry)), each::remove);
            }
        }
    }

    private static Set<String> outOfDate(List<Row> rows, List<Drive> drives, long bucketId) {
        var keys = new HashSet<String>();
        for (var drive : drives) {
            drive.call(() -> {
                var contents = drive.contents();
                if (!contents.isEmpty(Table.NOTES)) {
                    for (var row : rows) {
                        var key = IndexKeys.keyOf(row.key);
                        if (contents.note(bucketId, key)
                                .filter(note -> note.compareTo(row.entry.version()) > 0)
                                .isPresent()) {
                            keys.add(key);
                        }
                    }
                }
                return keys;
            });
        }
        return keys;
    }
}
