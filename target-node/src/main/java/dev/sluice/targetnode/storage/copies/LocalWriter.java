package dev.sluice.targetnode.storage.copies;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.change.KeyCommitter.Ready;
import dev.sluice.targetnode.storage.change.KeyCommitter.Step;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.slots.KeyReads;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import dev.sluice.targetnode.storage.slots.Staged;
import dev.sluice.targetnode.storage.slots.UploadCover;
import dev.sluice.targetnode.storage.spread.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Objects that are on drives of this target alone, on as many of them as their bucket is to have copies.
public final class LocalWriter implements SlotWriter {
    private final Drives drives;
    private final KeyCommitter committer;
    private final KeyMover mover;
    private final KeyReads reads;
    private final LocalKeys keys;

    public LocalWriter(Drives drives, KeyCommitter committer, KeyMover mover, KeyReads reads) {
        this.drives = drives;
        this.committer = committer;
        this.mover = mover;
        this.reads = reads;
        this.keys = new LocalKeys(drives, committer);
    }

    @Override
    public boolean serves(long bucketId, String key) {
        return true;
    }

    @Override
    public Serving serving(BucketRef bucket, String key) {
        return new Here(bucket, key);
    }

    /// One request's work with a key. Its drives may change meanwhile: each look and each change asks where they are.
    private final class Here implements Serving {
        private final BucketRef bucket;
        private final String key;
        private Optional<Written> written = Optional.empty();

        Here(BucketRef bucket, String key) {
            this.bucket = bucket;
            this.key = key;
        }

        /// Where the bytes of a new object are.
        private record Written(Spread spread, List<Drive> drives) {}

        @Override
        public List<Drive> drives() {
            if (written.isEmpty()) {
                var where = drives.of(bucket, key);
                written = Optional.of(new Written(where.spread(), where.toWrite()));
                drives.began(where.spread());
            }
            return written.get().drives();
        }

        @Override
        public void close() {
            written.ifPresent(bytes -> drives.ended(bytes.spread()));
            written = Optional.empty();
        }

        /// A change to drives that the key has left meanwhile is a late one.
        @Override
        public Serving again() {
            return this;
        }

        // ---- a look

        @Override
        public Optional<StoredObject> hot() {
            return reads.hot(new ObjectKey(bucket.id(), key));
        }

        @Override
        public Lookup look(Set<String> avoid) {
            var where = drives.of(bucket, key);
            if (where.isSingle()) {
                var _ = where.toRead(); // says 503 at once, whoever has the lock
            }
            return reads.look(new ObjectKey(bucket.id(), key), avoid, this::hot, () -> lookAtDrives(avoid));
        }

        private Lookup lookAtDrives(Set<String> avoid) {
            var where = drives.of(bucket, key);
            if (where.isEven()) {
                return look(where.toRead(), avoid);
            }
            var seen = Finder.look(where, bucket.id(), key);
            if (seen.doubt().isPresent()) {
                return new Lookup.Unknown(seen.doubt().get());
            }
            return look(seen.copies(), avoid);
        }

        private Lookup look(List<Drive> copies, Set<String> avoid) {
            return reads.look(
                    copies, bucket, new ObjectKey(bucket.id(), key), avoid, bad -> mover.bringLater(bucket, key, bad));
        }

        /// A look asks all the copies that there are.
        @Override
        public boolean restore() {
            return false;
        }

        // ---- a change

        @Override
        public ObjectRecord put(Staged object, WriteCheck check, Durability durability) {
            boolean durable = durability == Durability.FSYNC;
            try {
                return committer.change(
                        bucket,
                        key,
                        () -> written.map(bytes -> prepared(object, check, bytes, durable))
                                .orElseGet(() -> prepared(object, check, durable)));
            } catch (StoreException.NoSuchBucket refused) {
                object.drop();
                throw refused;
            } finally {
                object.decided();
            }
        }

        private Ready<ObjectRecord> prepared(Staged object, WriteCheck check, Written bytes, boolean durable) {
            var now = drives.of(bucket, key);
            var holders = bytes.drives();
            boolean late = !now.spread().equals(bytes.spread());
            if (!late && now.isSingle() && holders.size() == 1) {
                return alone(object, check, holders.getFirst(), durable);
            }
            drives.requireKnown(bytes.spread(), bucket.id(), key, holders.size());
            var _ = now.toWrite();
            Finder.check(check, now, bucket, key);
            var record = object.record(committer.versions().next());
            return orDropped(
                    object,
                    () -> new Changes(now, bucket, key, record.version(), durable)
                            .put(steps(object, holders, record), record)
                            .late(late));
        }

        /// Of an object whose bytes are on one drive, whether the key belongs there or not.
        private Ready<ObjectRecord> prepared(Staged object, WriteCheck check, boolean durable) {
            var where = drives.of(bucket, key);
            var holders = where.toWrite();
            Finder.check(check, where, bucket, key);
            if (!(object.content(0) instanceof Staged.Content.OnDrive(var home, var path))) {
                throw new IllegalStateException("the bytes are on no drive");
            }
            var record = object.record(committer.versions().next());
            var changes = new Changes(where, bucket, key, record.version(), durable);
            var others = holders.stream().filter(holder -> !holder.equals(home)).toList();
            if (holders.contains(home)) {
                return orDropped(object, () -> {
                    var steps = new ArrayList<>(steps(object, List.of(home), record));
                    steps.addAll(brought(record, home, path, others));
                    return changes.put(steps, record);
                });
            }
            var left = home.call(() -> object.leave(record)); // before the others have files
            var ready = changes.put(brought(record, home, path, others), record);
            return left.map(change -> ready.andThen(new Step(home, change))).orElse(ready);
        }

        private List<Step> brought(ObjectRecord record, Drive home, String path, List<Drive> to) {
            return to.isEmpty() ? List.of() : mover.spread(bucket, record, home, path, to);
        }

        /// What is prepared, and then not done, is dropped.
        private static <T> T orDropped(Staged object, Supplier<T> work) {
            boolean done = false;
            try {
                var result = work.get();
                done = true;
                return result;
            } finally {
                if (!done) {
                    object.drop();
                }
            }
        }

        /// Waits for all, also when one fails: none of them goes on beside a drop.
        private static List<Step> steps(Staged object, List<Drive> holders, ObjectRecord record) {
            var preparing = holders.stream()
                    .map(drive -> object.atOnce(drive, record)
                            .map(CompletableFuture::completedFuture)
                            .orElseGet(() -> drive.start(() -> object.prepare(drive, record))))
                    .toList();
            var _ = CompletableFuture.allOf(preparing.toArray(CompletableFuture[]::new))
                    .exceptionally(_ -> null)
                    .join();
            var steps = new ArrayList<Step>(holders.size());
            for (int i = 0; i < holders.size(); i++) {
                steps.add(new Step(holders.get(i), Await.whole(preparing.get(i))));
            }
            return steps;
        }

        /// On the caller's thread where nothing has to be looked at or written before.
        private Ready<ObjectRecord> alone(Staged object, WriteCheck check, Drive only, boolean durable) {
            if (durable && object.content(0) instanceof Staged.Content.InMemory && !check.asks()) {
                var record = object.record(committer.versions().next());
                var change = object.atOnce(only, record);
                if (change.isPresent()) {
                    return new Ready<>(only, change.get(), record);
                }
            }
            return only.call(() -> {
                Finder.check(check, only, bucket, key);
                var record = object.record(committer.versions().next());
                return new Ready<>(only, object.prepare(only, record), record);
            });
        }

        @Override
        public boolean delete(WriteCheck check, Durability durability) {
            var _ = drives.of(bucket, key).toWrite();
            try {
                return committer.change(bucket, key, () -> deletion(check, durability == Durability.FSYNC));
            } catch (NothingThere _) {
                return false;
            }
        }

        private Ready<Boolean> deletion(WriteCheck check, boolean durable) {
            var where = drives.of(bucket, key);
            var holder = where.toWrite().getFirst();
            if (where.isSingle()) {
                return holder.call(() -> {
                    Finder.check(check, holder, bucket, key);
                    if (!holder.store().exists(bucket.id(), key)) {
                        throw new NothingThere();
                    }
                    var change =
                            Prepared.deletion(bucket, key, committer.versions().next(), durable);
                    return new Ready<>(holder, change, true);
                });
            }
            Finder.check(check, where, bucket, key);
            return new Changes(where, bucket, key, committer.versions().next(), durable)
                    .delete()
                    .orElseThrow(NothingThere::new);
        }
    }

    // ---- a bucket

    @Override
    public Page list(long bucketId, ListQuery query) {
        return new Page(keys.list(bucketId, query), SlotCover.NONE);
    }

    @Override
    public boolean isEmpty(long bucketId, boolean uploadsCount) {
        return keys.isEmpty(bucketId, uploadsCount);
    }

    @Override
    public UploadCover uploads(long bucketId) {
        return new LocalUploads(drives.allToRead());
    }

    @Override
    public boolean mend(BucketRef bucket, String key, String drive) {
        return mover.mend(bucket, key, drive);
    }
}
