package dev.sluice.targetnode.storage.listing;

import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import java.io.IOException;
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
public final class Listing {
    private static final int SLACK = 16;

    /// To read on is cheaper than a seek up to about here.
    private static final int LARGE_GROUP = 32;

    /// What there is of a key, while nobody changes it; empty when there is nothing.
    public interface Newest {
        Optional<ObjectEntry> of(String key);
    }

    /// Whether an index key of a drive is to be listed at all.
    public interface Filter {
        Filter ALL = (_, _) -> true;

        boolean lists(Drive drive, byte[] key);
    }

    private static final class Row {
        private final byte[] key;
        private final ObjectEntry entry;

        Row(byte[] key, ObjectEntry entry) {
            this.key = key;
            this.entry = entry;
        }
    }

    /// The index keys that are wanted.
    private static final class Wanted {
        private final byte[] prefix;
        private final byte[] delimiter; // none when empty

        Wanted(byte[] prefix, byte[] delimiter) {
            this.prefix = prefix;
            this.delimiter = delimiter;
        }

        /// What the key has in common with those that are folded together with it, none when it is listed itself.
        Optional<byte[]> group(byte[] key) {
            for (int at = prefix.length; delimiter.length > 0 && at + delimiter.length <= key.length; at++) {
                int end = at + delimiter.length;
                if (Arrays.equals(key, at, end, delimiter, 0, delimiter.length)) {
                    return Optional.of(Arrays.copyOf(key, end));
                }
            }
            return Optional.empty();
        }

        static boolean has(Optional<byte[]> group, byte[] key) {
            return group.isPresent() && IndexKeys.startsWith(key, group.get());
        }
    }

    /// One drive's rows, fetched as needed: of each group the first.
    private static final class Source {
        private final Drive drive;
        private final Wanted wanted;
        private final Filter filter;
        private final int step;
        private final ArrayDeque<Row> rows = new ArrayDeque<>();
        private byte[] from;
        private boolean ended;

        Source(Drive drive, Wanted wanted, Filter filter, byte[] from, int step) {
            this.drive = drive;
            this.wanted = wanted;
            this.filter = filter;
            this.from = from;
            this.step = step;
        }

        boolean fill() {
            if (rows.isEmpty() && !ended) {
                drive.call(() -> {
                    while (rows.size() < step && !ended) {
                        read();
                    }
                    return rows;
                });
            }
            return !rows.isEmpty();
        }

        /// Up to the end of the page, or of the first group that is so large that it is left out by a seek.
        private void read() throws IOException {
            var group = new Object() {
                private Optional<byte[]> last = Optional.empty();
                private int size;
            };
            ended = true;
            drive.store().scan(from, (key, value) -> {
                if (!IndexKeys.startsWith(key, wanted.prefix)) {
                    return false;
                }
                if (!filter.lists(drive, key)) {
                    return true;
                }
                if (Wanted.has(group.last, key)) {
                    group.size++;
                } else {
                    rows.add(new Row(key, ObjectEntry.decode(value)));
                    group.last = wanted.group(key);
                    group.size = 1;
                }
                ended = rows.size() < step && group.size < LARGE_GROUP;
                return ended;
            });
            if (!ended) {
                from = group.last.map(IndexKeys::past).orElseGet(() -> IndexKeys.after(rows.getLast().key));
            }
        }

        byte[] first() {
            return rows.getFirst().key;
        }
    }

    private Listing() {}

    /// @param even whether each drive's entries are the newest there are; where they are not, nothing is folded: the
    ///     one key that stands for others may be deleted
    /// @param newest asked of the keys that some drive's notes speak against
    public static List<ListEntry> list(
            List<Drive> drives, boolean even, Newest newest, long bucketId, ListQuery query) {
        return list(drives, even, newest, bucketId, query, Filter.ALL);
    }

    public static List<ListEntry> list(
            List<Drive> drives, boolean even, Newest newest, long bucketId, ListQuery query, Filter filter) {
        drives.forEach(drive -> requireKeys(drive, bucketId));
        int limit = query.limit();
        var prefixKey = IndexKeys.object(bucketId, query.prefix());
        var firstKey = IndexKeys.object(bucketId, query.from());
        var from = Arrays.compareUnsigned(firstKey, prefixKey) < 0 ? prefixKey : firstKey;
        var wanted = new Wanted(prefixKey, IndexKeys.utf8(even ? query.delimiter() : ""));
        int step = limit / drives.size() + SLACK;
        var sources = new PriorityQueue<Source>(Comparator.comparing(Source::first, Arrays::compareUnsigned));
        for (var drive : drives) {
            var source = new Source(drive, wanted, filter, from, step);
            if (source.fill()) {
                sources.add(source);
            }
        }
        var page = new ArrayList<ListEntry>(Math.min(limit, 1 << 16));
        while (page.size() < limit && !sources.isEmpty()) {
            var rows = next(sources, wanted, limit - page.size());
            if (!even) {
                removeDeleted(rows, outOfDate(rows, drives, bucketId), newest);
            }
            for (var row : rows) {
                page.add(new ListEntry(
                        IndexKeys.keyOf(row.key),
                        row.entry.version(),
                        row.entry.size(),
                        row.entry.etag(),
                        row.entry.modifiedMillis()));
            }
        }
        return page;
    }

    private static void requireKeys(Drive drive, long bucketId) {
        if (drive.store().mayHaveKeyless() && drive.call(() -> drive.store().hasKeyless(bucketId))) {
            throw new StoreException.Damaged(
                    "drive %s has files in %s/%d whose keys are not known: a listing would lack them"
                            .formatted(drive.id(), Layout.ESCAPED, bucketId));
        }
    }

    /// One page made of two, which were listed one after the other: a key that was moved from drive to drive while one
    /// of them was listed is in the other.
    public static List<ListEntry> either(List<ListEntry> earlier, List<ListEntry> later, int limit) {
        var all = new TreeMap<byte[], ListEntry>(Arrays::compareUnsigned);
        earlier.forEach(entry -> all.put(IndexKeys.utf8(entry.key()), entry));
        later.forEach(entry -> all.put(IndexKeys.utf8(entry.key()), entry));
        return all.values().stream().limit(limit).toList();
    }

    /// Of each key the newest entry, of each group the first key.
    private static List<Row> next(PriorityQueue<Source> sources, Wanted wanted, int limit) {
        var rows = new ArrayList<Row>(Math.min(limit, 1 << 16));
        var group = Optional.<byte[]>empty();
        while (!sources.isEmpty()) {
            var source = sources.remove();
            var row = source.rows.removeFirst();
            boolean again = !rows.isEmpty() && Arrays.equals(rows.getLast().key, row.key);
            boolean folded = !again && Wanted.has(group, row.key);
            if (!again && !folded && rows.size() == limit) {
                source.rows.addFirst(row);
                sources.add(source);
                return rows;
            }
            if (!again && !folded) {
                rows.add(row);
                group = wanted.group(row.key);
            } else if (again
                    && row.entry.version().compareTo(rows.getLast().entry.version()) > 0) {
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
                var marks = drive.marks();
                if (marks.hasNotes()) {
                    for (var row : rows) {
                        var key = IndexKeys.keyOf(row.key);
                        if (marks.note(bucketId, key)
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
