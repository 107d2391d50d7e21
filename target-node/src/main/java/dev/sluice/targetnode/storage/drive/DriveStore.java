package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The objects of one drive, and the files that are to become objects, as the rest of the target sees them. Unless said
/// otherwise on a drive thread ([Drive#call]). What it prepares is committed by the [Drive].
public final class DriveStore {
    private final Contents contents;
    private final DriveFiles files;
    private final DriveIndex index;

    DriveStore(Contents contents) {
        this.contents = contents;
        this.files = contents.files();
        this.index = contents.index();
    }

    // ---- looking

    public Optional<ObjectEntry> entry(long bucketId, String key) throws IOException {
        return contents.entry(bucketId, key);
    }

    /// The version that is committed.
    public Optional<ObjectVersion> row(long bucketId, String key) throws IOException {
        return contents.row(bucketId, key);
    }

    public boolean exists(long bucketId, String key) throws IOException {
        return entry(bucketId, key).isPresent();
    }

    /// The object with its open file. The index says whether there is one and where; the file's record says the rest.
    public Found find(BucketRef bucket, String key) throws IOException {
        var entry = entry(bucket.id(), key);
        if (entry.isEmpty()) {
            return new Found.Absent();
        }
        return entry.get().damaged()
                ? new Found.Damaged(Layout.path(bucket, key, entry.get()) + " is marked as damaged")
                : lookAt(bucket, key, entry.get());
    }

    /// What lies where an entry says, whether it is marked as damaged or not.
    public Found lookAt(BucketRef bucket, String key, ObjectEntry entry) throws IOException {
        var path = Layout.path(bucket, key, entry);
        DriveFile file;
        try {
            file = files.open(path);
        } catch (NoSuchFileException _) {
            return new Found.Damaged(path + " is gone");
        }
        boolean kept = false;
        try {
            var record = contents.record(path);
            var wrong = whatIsWrong(bucket.id(), key, entry, record, file);
            kept = wrong.isEmpty();
            return kept ? new Found.Present(record, file) : new Found.Damaged(path + " " + wrong.get());
        } catch (DamagedRecordException | NoSuchFileException damaged) {
            return new Found.Damaged(path + ": " + damaged.getMessage());
        } finally {
            if (!kept) {
                file.close();
            }
        }
    }

    private static Optional<String> whatIsWrong(
            long bucketId, String key, ObjectEntry entry, ObjectRecord record, DriveFile file) throws IOException {
        if (record.bucketId() != bucketId || !record.key().equals(key)) {
            return Optional.of("holds another object");
        }
        if (record.version().compareTo(entry.version()) < 0) {
            return Optional.of("holds an older version");
        }
        long size = file.identity().size();
        return size == record.fileSize()
                ? Optional.empty()
                : Optional.of("has " + size + " bytes instead of " + record.fileSize());
    }

    /// The record of what is there, for conditions; a damaged object counts as present only by what the index knows.
    public Optional<ObjectRecord> present(BucketRef bucket, String key) throws IOException {
        return switch (find(bucket, key)) {
            case Found.Present(var record, var file) -> {
                file.close();
                yield Optional.of(record);
            }
            case Found.Absent() -> Optional.empty();
            case Found.Damaged(var why) -> throw new StoreException.Damaged(why);
        };
    }

    /// What the record of a file says, without details that are apart.
    public RecordFormat.Head head(String path) throws IOException {
        return contents.head(path);
    }

    /// What an open intent of a key has of an object. The intent must not be committed or aborted meanwhile.
    ///
    /// @return empty when the key has no open intent of this version that writes an object, or that is damaged
    public Optional<PreparedObject> prepared(ObjectKey key, ObjectVersion version) throws IOException {
        return PreparedObject.find(contents, key, version);
    }

    // ---- looking at many

    /// The index's rows of objects from one on, in the order of bucket ids and keys ([IndexKeys#object]); the values
    /// are [ObjectEntry]s.
    public void scan(byte[] from, DriveIndex.Visitor visitor) throws IOException {
        index.scan(Table.OBJECTS, from, visitor);
    }

    /// The same of one bucket.
    public void scan(long bucketId, DriveIndex.Visitor visitor) throws IOException {
        index.each(Table.OBJECTS, IndexKeys.number(bucketId), visitor);
    }

    /// Tells of what is committed of keys with these hashes, in [ObjectRows#ORDER]. On a drive thread.
    ///
    /// @param first the first hash
    /// @param hashes how many
    /// @param after where to go on, if one of these keys; empty: at the first one
    public void scanSlot(int first, int hashes, Optional<ObjectKey> after, SlotVisitor visitor) throws IOException {
        contents.scanSlot(first, hashes, after, visitor);
    }

    /// The ids of the buckets that have anything here. One look for each, whatever it has.
    public SortedSet<Long> buckets() throws IOException {
        var ids = new TreeSet<Long>();
        for (var table : List.of(Table.OBJECTS, Table.KEYLESS)) {
            boolean[] found = {true};
            for (long from = 0; found[0]; ) {
                long[] id = {0};
                found[0] = false;
                index.scan(table, IndexKeys.number(from), (key, _) -> {
                    id[0] = IndexKeys.number(key);
                    found[0] = true;
                    return false;
                });
                if (found[0]) {
                    ids.add(id[0]);
                    from = id[0] + 1;
                }
            }
        }
        return ids;
    }

    /// Whether a bucket has nothing here, no file without a key either.
    public boolean isEmpty(long bucketId) throws IOException {
        return !index.has(Table.OBJECTS, IndexKeys.number(bucketId)) && !hasKeyless(bucketId);
    }

    /// Whether a bucket has files here whose keys only their hashes tell: a listing would lack them.
    public boolean hasKeyless(long bucketId) throws IOException {
        return contents.keyless().areIn(bucketId);
    }

    /// Whether any bucket has.
    public boolean hasKeyless() throws IOException {
        return contents.keyless().are();
    }

    /// Whether any bucket may; costs nothing, on any thread.
    public boolean mayHaveKeyless() {
        return contents.keyless().mayBe();
    }

    /// On any thread.
    public Totals totals() {
        return contents.totals();
    }

    /// The same of each bucket. On any thread.
    public Usages usages() {
        return contents.usages();
    }

    /// The indexes of the shards here.
    public ShardFiles shards() {
        return contents.shards();
    }

    // ---- files

    /// A new file whose bytes are to become an object, or to be thrown away by [#discard].
    ///
    /// @param work its path, which nothing else has
    public DriveFile stage(String work) throws IOException {
        return files.create(work);
    }

    /// @return false when there is none
    public boolean discard(String work) throws IOException {
        return files.delete(work);
    }

    public DriveFile open(String path) throws IOException {
        return files.open(path);
    }

    public boolean isFile(String path) throws IOException {
        return files.isFile(path);
    }

    public FolderWalk walk(String folder) throws IOException {
        return files.walk(folder);
    }

    // ---- changing

    /// Gives a written work file its record, and syncs both when the write is to last. One that replaces what lasts
    /// is to last, too: its name may be on the drive before its bytes are, and what it replaced is gone then. Under
    /// the key's lock.
    public Prepared preparePut(
            BucketRef bucket, String work, DriveFile file, ObjectRecord record, IndexBatch with, boolean asked)
            throws IOException {
        boolean durable = asked
                || entry(bucket.id(), record.key()).filter(ObjectEntry::lasts).isPresent();
        var stored = RecordFormat.encode(record);
        var folders = new HashSet<String>();
        folders.add(Layout.parent(work));
        if (stored.details().isPresent()) {
            writeDetails(Layout.aux(record.version()), stored.details().get(), durable);
            folders.add(Layout.AUX);
        }
        files.setAttribute(work, stored.attribute());
        if (durable) {
            file.sync();
        }
        var entry = ObjectEntry.of(record, stored.details().isPresent()).unsynced(!durable);
        return new Prepared(
                Optional.of(new Intent.Put(bucket, record.key(), work, entry, with, Optional.empty())),
                new IndexBatch(),
                folders,
                durable);
    }

    private void writeDetails(String path, byte[] details, boolean durable) throws IOException {
        files.delete(path); // of the same version, which is being copied here once more
        try (var file = files.create(path)) {
            file.write(0, ByteBuffer.wrap(details));
            if (durable) {
                file.sync();
            }
        }
    }

    /// Marks an object as damaged or as whole. Must not run beside a commit ([Drive#alone]).
    ///
    /// @return whether the entry was still the one that was judged
    public boolean mark(long bucketId, String key, ObjectEntry judged, boolean asDamaged) throws IOException {
        return contents.mark(bucketId, key, judged, asDamaged);
    }

    /// Takes a bucket away in one step; no commit brings anything of it any more. Must not run beside a
    /// commit ([Drive#alone]).
    public void drop(BucketRef bucket) throws IOException {
        contents.drop(bucket);
    }

    /// On any thread.
    public boolean isDropped(long bucketId) {
        return contents.isDropped(bucketId);
    }

    /// Makes all durable that was written to the files and to the index.
    public void sync() throws IOException {
        contents.syncAll();
    }

    /// The same of the files alone, whatever is known of them.
    public void syncFiles() throws IOException {
        files.syncAll();
    }
}
