package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.KeyVersion;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.replica.core.SlotContext;
import dev.sluice.targetnode.replica.core.SlotCore;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Insides;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.ObjectRows;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Slots of many keys: a slot is a range of hashes, and its pages follow the drive's order. There are two groups with
/// different numbers of slots on each drive.
@Timeout(120)
class SlotPagesTest {
    private static final Group FEW = new Group(1, 2, Durability.FSYNC, 2);
    private static final int SLOTS_OF_MANY = System.getProperty("long") == null ? 256 : 1 << 14;
    private static final Group MANY = new Group(2, 2, Durability.FSYNC, SLOTS_OF_MANY);
    private static final long[] BUCKETS_OF_FEW = {3, 1};
    private static final long BUCKET_OF_MANY = 2;
    private static final int KEYS = 10_000;
    private static final ObjectVersion OLD = new ObjectVersion(1, 1);
    private static final ObjectVersion STALE = new ObjectVersion(2, 7);

    private static final SlotPages.Groups GROUPS = new SlotPages.Groups() {
        @Override
        public Optional<Group> of(long bucketId) {
            return Optional.of(bucketId == BUCKET_OF_MANY ? MANY : FEW);
        }

        @Override
        public Optional<Group> withId(int id) {
            return Optional.of(id == MANY.id() ? MANY : FEW);
        }
    };

    @TempDir
    private Path folder;

    private RecordedLoops loops;
    private Drive source;
    private Drive learner;

    @BeforeEach
    void open() throws Exception {
        loops = new RecordedLoops(folder, 1, "source", "learner");
        source = loops.loop("source").drive();
        learner = loops.loop("learner").drive();
    }

    @AfterEach
    void close() {
        loops.close();
    }

    private static ObjectKey key(int number) {
        long bucket = number % 3 == 0 ? BUCKET_OF_MANY : BUCKETS_OF_FEW[number % 2];
        return new ObjectKey(bucket, "key-" + number);
    }

    private static void put(Drive drive, Iterable<ObjectKey> keys, ObjectVersion version) {
        drive.call(() -> {
            var batch = new IndexBatch();
            for (var key : keys) {
                var entry = new ObjectEntry(version, 1, 1, "etag", false, false, false);
                ObjectRows.put(batch, key.bucketId(), key.key(), entry);
            }
            Insides.index(drive).write(batch, false);
            return true;
        });
    }

    private static List<ObjectKey> keys(int from, int to) {
        var keys = new ArrayList<ObjectKey>();
        for (int number = from; number < to; number++) {
            keys.add(key(number));
        }
        return keys;
    }

    private static Page page(Drive drive, Group group, int slot, KeyRange range) {
        return drive.call(() -> new SlotPages(drive, GROUPS).page(group.id(), slot, range));
    }

    private static Map<ObjectKey, ObjectVersion> rows(Drive drive, Group group, int slot) {
        var rows = new TreeMap<ObjectKey, ObjectVersion>(
                Comparator.comparingLong(ObjectKey::bucketId).thenComparing(ObjectKey::key));
        var range = KeyRange.ALL;
        boolean more = true;
        while (more) {
            var page = page(drive, group, slot, range);
            assertThat(page.rows())
                    .isSortedAccordingTo(Comparator.comparing(KeyVersion::key, SlotPages.ORDER))
                    .hasSizeLessThanOrEqualTo(1000)
                    .allMatch(row -> page.range().contains(row.key(), SlotPages.ORDER))
                    .allMatch(row -> rows.put(row.key(), row.version()) == null);
            more = page.range().more();
            range = page.range().rest();
        }
        return rows;
    }

    @Test
    void pagesOfAllSlotsHaveEachKeyOfTheirGroupOnce() {
        put(source, keys(0, KEYS), OLD);
        for (var group : List.of(FEW, MANY)) {
            var found = new ArrayList<ObjectKey>();
            for (int slot = 0; slot < group.slots(); slot++) {
                int of = slot;
                var keys = rows(source, group, slot).keySet();
                assertThat(keys).allMatch(key -> group.slotOf(key.bucketId(), key.key()) == of);
                found.addAll(keys);
            }
            assertThat(found)
                    .containsExactlyInAnyOrderElementsOf(keys(0, KEYS).stream()
                            .filter(key ->
                                    GROUPS.of(key.bucketId()).orElseThrow().equals(group))
                            .toList());
        }
    }

    /// The page ends there, whatever it has.
    @Test
    void stepIsBoundedWhereRowsOfAnotherGroupStandBetween() {
        var others = new ArrayList<ObjectKey>();
        for (int number = 0; number < 3 * KEYS; number++) {
            others.add(new ObjectKey(BUCKET_OF_MANY, "other-" + number));
        }
        put(source, others, OLD);
        put(source, keys(0, 10), OLD);
        var page = page(source, FEW, 0, KeyRange.ALL);
        assertThat(page.range().more()).isTrue();
        assertThat(rows(source, FEW, 0).size() + rows(source, FEW, 1).size()).isEqualTo(6);
    }

    /// What the source has and the learner has not is pulled, what the learner has too much is deleted, and nothing
    /// that the source has goes.
    @Test
    void learnerWithStaleRowsEndsEqualToItsSource() {
        put(source, keys(0, KEYS), OLD);
        put(learner, keys(KEYS / 2, KEYS), OLD);
        put(learner, keys(KEYS, KEYS + KEYS / 5), STALE);
        put(learner, keys(KEYS / 2, KEYS / 2 + 500), STALE);
        var others = rows(learner, MANY, 0);
        for (int slot = 0; slot < FEW.slots(); slot++) {
            assertThat(rows(source, FEW, slot).size()).isGreaterThan(3000);
            new Learning(slot).run();
            assertThat(rows(learner, FEW, slot)).isEqualTo(rows(source, FEW, slot));
        }
        assertThat(rows(learner, MANY, 0)).as("another group").isEqualTo(others);
    }

    /// A learner's core on a real drive, and a source that answers at once.
    private final class Learning implements SlotContext {
        private final int slot;
        private final SlotPages pages = new SlotPages(learner, GROUPS);
        private final SlotCore core = new SlotCore("learner", 2);
        private final ArrayDeque<Event> events = new ArrayDeque<>();
        private boolean learned;

        Learning(int slot) {
            this.slot = slot;
        }

        void run() {
            var members = List.of(new Member("source", true, 1, 1), new Member("learner", false, 2, 5));
            events.add(new Event.Recovered(List.of()));
            events.add(new Event.RowApplied(new SlotRow(5, members, 4, 4, List.of(), true), false));
            while (!events.isEmpty()) {
                var event = events.remove();
                learner.call(() -> core.on(event, this)).forEach(this::carryOut);
            }
            assertThat(learned).isTrue();
        }

        private void carryOut(Action action) {
            switch (action) {
                case Action.Send(var _, Message.AskListing ask) ->
                    events.add(new Event.Received(
                            "source",
                            new Message.Listing(ask.learning(), SlotPagesTest.page(source, FEW, slot, ask.range()))));
                case Action.Send(var _, Message.Learned _) -> learned = true;
                case Action.Pull pull ->
                    events.add(new Event.Pulled(pull.learning(), pull.key(), Optional.of(new Slice(OLD, 0))));
                case Action.DeleteRow delete -> {
                    delete(delete.key());
                    events.add(new Event.Done(delete));
                }
                case Action.StorePulled store -> {
                    put(learner, List.of(store.key()), store.slice().version());
                    events.add(new Event.Done(store));
                }
                case Action.SyncSlot sync -> events.add(new Event.Done(sync));
                default -> throw new AssertionError("not of a learner without writes: " + action);
            }
        }

        private void delete(ObjectKey key) {
            learner.call(() -> {
                var batch = ObjectRows.delete(new IndexBatch(), key.bucketId(), key.key());
                Insides.index(learner).write(batch, false);
                return true;
            });
        }

        @Override
        public Optional<Slice> row(ObjectKey key) {
            try {
                return learner.store().row(key.bucketId(), key.key()).map(version -> new Slice(version, 0));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public Page page(KeyRange range) {
            try {
                return pages.page(FEW.id(), slot, range);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public Comparator<ObjectKey> order() {
            return SlotPages.ORDER;
        }

        @Override
        public int nextCounter() {
            return 1;
        }

        @Override
        public boolean leased() {
            return true;
        }
    }
}
