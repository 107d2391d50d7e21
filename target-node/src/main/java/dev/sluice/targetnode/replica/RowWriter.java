package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.loop.ClientWrites;
import dev.sluice.targetnode.replica.loop.Mender;
import dev.sluice.targetnode.replica.loop.Term;
import dev.sluice.targetnode.replica.membership.GroupSlots;
import dev.sluice.targetnode.replica.transfer.Announcements;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.hotset.GatheredBytes;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.listing.Listing;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.Arriving;
import dev.sluice.targetnode.storage.slots.KeyReads;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import dev.sluice.targetnode.storage.slots.Staged;
import dev.sluice.targetnode.storage.slots.UploadCover;
import dev.sluice.targetnode.storage.slots.UploadHome;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/// Objects whose slots' rows say who keeps them, as far as this target is the primary.
public final class RowWriter implements SlotWriter {
    private final ClientWrites writes;
    private final ObjectStore store;
    private final KeyReads reads;
    private final Gathering gathering;
    private final LongFunction<GroupSlots.Served> served;
    private final Function<ObjectKey, Optional<SlotRow>> rows;
    private final Mender mender;
    private final Announcements announcements;

    /// Reads objects of which members have slices.
    public interface Gathering {
        /// @param record of the object, as a drive of this target has it
        GatheredBytes of(BucketRef bucket, ObjectKey name, ObjectRecord record, String drive);
    }

    /// @param served of a bucket, by id
    /// @param rows the newest row of a key's slot; empty where it is not known
    public RowWriter(
            ClientWrites writes,
            ObjectStore store,
            Gathering gathering,
            LongFunction<GroupSlots.Served> served,
            Function<ObjectKey, Optional<SlotRow>> rows,
            Mender mender,
            Announcements announcements) {
        this.writes = writes;
        this.store = store;
        this.reads = store.reads();
        this.gathering = gathering;
        this.served = served;
        this.rows = rows;
        this.mender = mender;
        this.announcements = announcements;
    }

    @Override
    public boolean serves(long bucketId, String key) {
        return writes.serves(bucketId, key);
    }

    @Override
    public Serving serving(BucketRef bucket, String key) {
        return new InTerm(bucket, key, writes.term(bucket.id(), key));
    }

    private final class InTerm implements Serving {
        private final BucketRef bucket;
        private final String key;
        private final Term term;
        private volatile Optional<String> arrivingAs = Optional.empty();

        InTerm(BucketRef bucket, String key, Term term) {
            this.bucket = bucket;
            this.key = key;
            this.term = term;
        }

        @Override
        public List<Drive> drives() {
            return List.of(term.drive());
        }

        @Override
        public int position() {
            return term.replica().core().primaryPosition();
        }

        /// A term that has ended on the same drive is no failure.
        @Override
        public Serving again() {
            var now = new InTerm(bucket, key, writes.term(bucket.id(), key));
            if (!now.term.drive().equals(term.drive())) {
                throw new StoreException.Unavailable("the key's primary changed while its bytes came; try again");
            }
            return now;
        }

        @Override
        public Optional<String> arriving(Arriving bytes) {
            arrivingAs = rows.apply(new ObjectKey(bucket.id(), key))
                    .flatMap(row -> announcements.announce(term.replica(), row, bucket.id(), bytes));
            return arrivingAs;
        }

        @Override
        public Optional<UploadHome> uploads() {
            return Optional.of(new UploadHome(term.drive(), term.driveSince()));
        }

        @Override
        public void requireInSync() {
            term.requireInSync(bucket);
        }

        @Override
        public Optional<StoredObject> hot() {
            var found = open();
            if (found.isPresent() && !term.holds()) {
                found.get().close();
                return Optional.empty(); // a look says why
            }
            return found;
        }

        private Optional<StoredObject> open() {
            return reads.hot(new ObjectKey(bucket.id(), key), term.drive()).map(this::whole);
        }

        private StoredObject whole(StoredObject object) {
            return object.isWhole()
                    ? object
                    : object.gathered(gathering.of(
                            bucket, object.key(), object.record(), term.drive().id()));
        }

        /// The right to answer is asked after the look too: it may have ended in between.
        @Override
        public Lookup look(Set<String> avoid) {
            var name = new ObjectKey(bucket.id(), key);
            var found = reads.look(
                    name,
                    avoid,
                    this::open,
                    () -> whole(reads.lookAtOne(term.drive(), bucket, name, avoid, this::restoreLater)));
            boolean mayAnswer = false;
            try {
                term.require();
                mayAnswer = true;
                return found;
            } finally {
                if (!mayAnswer && found instanceof Lookup.Hit(var object)) {
                    object.close();
                }
            }
        }

        private Lookup whole(Lookup found) {
            return found instanceof Lookup.Hit(var object) ? new Lookup.Hit(whole(object)) : found;
        }

        private void restoreLater(Set<String> bad) {
            bad.forEach(drive -> mender.mendLater(bucket, key, drive));
        }

        @Override
        public boolean restore() {
            return mender.mend(bucket, key, term.drive().id());
        }

        /// At the durability of its group.
        @Override
        public ObjectRecord put(Staged object, WriteCheck check, Durability durability) {
            return judged(() -> writes.put(term, bucket, key, object, check));
        }

        /// A condition is judged by what is restored first.
        private <T> T judged(Supplier<T> write) {
            try {
                return write.get();
            } catch (StoreException.Damaged damaged) {
                if (!restore()) {
                    throw damaged;
                }
                throw new StoreException.Unavailable(
                        "the object that the condition asks about was damaged; it is restored now: try again");
            }
        }

        @Override
        public boolean delete(WriteCheck check, Durability durability) {
            return judged(() -> writes.delete(term, bucket, key, check));
        }

        @Override
        public void close() {
            arrivingAs.ifPresent(announcements::end);
        }
    }

    @Override
    public Page list(long bucketId, ListQuery query) {
        var slots = served.apply(bucketId);
        var entries = Listing.list(
                reading(),
                true,
                _ -> Optional.empty(),
                bucketId,
                query,
                (drive, key) -> slots.has(bucketId, IndexKeys.keyOf(key), drive.id()));
        slots.require();
        return new Page(entries, slots.cover());
    }

    private List<Drive> reading() {
        return store.drives().reading();
    }

    /// No write is under way here; a listing of all slots says which objects there are.
    @Override
    public boolean isEmpty(long bucketId, boolean uploadsCount) {
        return !uploadsCount
                || reading().stream()
                        .allMatch(drive -> drive.call(() -> drive.uploads()
                                .list(
                                        bucketId,
                                        "",
                                        IndexKeys.object(bucketId, ""),
                                        1,
                                        upload -> !isOver(upload, drive.id()))
                                .isEmpty()));
    }

    @Override
    public UploadCover uploads(long bucketId) {
        var slots = served.apply(bucketId);
        return new UploadCover() {
            @Override
            public List<Drive> drives() {
                return reading();
            }

            @Override
            public boolean has(String key, String drive, long since) {
                return slots.has(bucketId, key, drive) && slots.driveSince(bucketId, key) == since;
            }

            @Override
            public SlotCover slots() {
                return slots.cover();
            }

            @Override
            public void require() {
                slots.require();
            }
        };
    }

    /// A row is never followed by an older one.
    @Override
    public boolean isOver(UploadState upload, String drive) {
        return rows.apply(new ObjectKey(upload.bucket().id(), upload.key()))
                .filter(row -> row.epoch() >= upload.home())
                .filter(row -> !row.primary().drive().equals(drive) || row.driveSince() != upload.home())
                .isPresent();
    }

    @Override
    public boolean mend(BucketRef bucket, String key, String drive) {
        return mender.mend(bucket, key, drive);
    }
}
