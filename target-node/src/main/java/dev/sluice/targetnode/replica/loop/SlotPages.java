package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.KeyVersion;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.ObjectRows;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What one drive has, by slot of a group: its rows, and the intents that were open when this was made.
public final class SlotPages {
    public static final Comparator<ObjectKey> ORDER = ObjectRows.ORDER;

    private static final int MOST_ROWS = 1000;

    /// Of keys, and what a message has around each.
    private static final int MOST_BYTES = 96 << 10;

    private static final int AROUND = 40;

    /// Those of other groups' buckets stand between those of a slot.
    private static final int MOST_SEEN = 10 * MOST_ROWS;

    /// The groups of the newest state that is applied.
    public interface Groups {
        /// Empty when the bucket is not known, or not replicated.
        public Optional<Group> of(long bucketId);

        Optional<Group> withId(int id);
    }

    private final Drive drive;
    private final Groups groups;
    private final SortedMap<Integer, List<OpenIntent>> open = new TreeMap<>(); // by hash

    public SlotPages(Drive drive, Groups groups) {
        this.drive = drive;
        this.groups = groups;
        for (var intent : drive.openIntents()) {
            var key = new ObjectKey(intent.bucketId(), intent.key());
            open.computeIfAbsent(ObjectRows.hashOf(key), _ -> new ArrayList<>())
                    .add(new OpenIntent(
                            key,
                            intent.version(),
                            intent.deletion(),
                            intent.slice().position()));
        }
    }

    public List<OpenIntent> open(int groupId, int slot) {
        if (open.isEmpty()) {
            return List.of();
        }
        return groups.withId(groupId).stream()
                .flatMap(group -> open.subMap(group.firstHash(slot), group.firstHash(slot + 1)).values().stream())
                .flatMap(List::stream)
                .filter(intent -> isIn(groupId, intent.key().bucketId()))
                .toList();
    }

    private boolean isIn(int groupId, long bucketId) {
        return groups.of(bucketId).filter(group -> group.id() == groupId).isPresent();
    }

    /// On a drive thread.
    public Page page(int groupId, int slot, KeyRange range) throws IOException {
        var group = groups.withId(groupId).orElseThrow();
        var page = new Gathered(groupId, range);
        drive.store()
                .scanSlot(
                        group.firstHash(slot),
                        group.hashes(),
                        range.after(),
                        (bucketId, name, slice, _) -> page.add(
                                new KeyVersion(new ObjectKey(bucketId, name), slice.version(), slice.position())));
        return page.done();
    }

    private final class Gathered {
        private final int groupId;
        private final KeyRange range;
        private final List<KeyVersion> rows = new ArrayList<>();
        private Optional<ObjectKey> last;
        private int seen;
        private int bytes;

        Gathered(int groupId, KeyRange range) {
            this.groupId = groupId;
            this.range = range;
            this.last = range.last();
        }

        /// @return whether the page has room for more
        boolean add(KeyVersion row) {
            if (!range.contains(row.key(), ORDER)) {
                return false; // it is past the range's last one
            }
            if (isIn(groupId, row.key().bucketId())) {
                rows.add(row);
                bytes += row.key().key().length() + AROUND;
            }
            seen++;
            boolean full = rows.size() == MOST_ROWS || bytes >= MOST_BYTES || seen == MOST_SEEN;
            if (full) {
                last = Optional.of(row.key());
            }
            return !full;
        }

        Page done() {
            return new Page(new KeyRange(range.after(), last), rows);
        }
    }
}
