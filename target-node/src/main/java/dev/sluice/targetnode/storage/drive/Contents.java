package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.NoteKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.ObjectRows;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of one drive and how they change, as plain sequential steps over the two seams: no threads, no
/// locks.
///
/// A change is *prepared* (data, record and details written and synced in files of their own), then *committed* in
/// a group: the folders that hold the prepared files are synced, the intents of the whole group are put into the
/// index with one sync, then files are renamed and entries written, without a sync. What a crash takes of those
/// last two is done again from the intents, which go only when the changed folders have been synced ([#settle]). So
/// a write costs the sync of its file and its share of two others, and a start looks at open intents only.
///
/// A small object's bytes are in its intent, and its file is not synced before the file system is as a whole, when
/// the intent goes: such a write costs its share of one sync.
///
/// A *prepared* write of a replicated slot stops between the two: its intent is open until a message commits or aborts
/// it ([OpenIntents]).
///
/// For one key, the newest intent that can be fulfilled decides; older ones are void. [#commit] and [#drop] must
/// not run at the same time as each other; [#settle] may run beside them.
public final class Contents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Contents.class);

    private static final byte[] DROPS = {'d'};
    private static final byte[] INDEXED = {'i'};
    private static final byte[] OWNER = {'n'};
    private static final byte[] SYNCED = {'y'};
    private static final byte[] SOUND = {'o'};
    private static final byte[] LATE = {'l'};
    static final byte[] SEQUENCE = {'s'};

    /// An upload's name is 32 bytes.
    private static final int UPLOADS_AT_ONCE = 16 << 10;

    private static final int KEYLESS_AT_ONCE = 256;

    /// Greater than each key of a table.
    private static final byte[] LAST = {-1, -1, -1, -1};

    private final DriveFiles files;
    private final DriveIndex index;
    private final Set<Long> dropped = ConcurrentHashMap.newKeySet();
    private final Places places;
    private final Trash trash;
    private final NamedBuckets names;
    private final Unsettled unsettled;
    private final OpenIntents open = new OpenIntents();
    private final SlotRows slots;
    private final GroupCommit commits;
    private volatile boolean hasKeyless;
    private volatile Usages usages = new Usages();

    public Contents(DriveFiles files, DriveIndex index) {
        this.files = files;
        this.index = index;
        this.places = new Places(files);
        this.trash = new Trash(files);
        this.names = new NamedBuckets(files);
        this.unsettled = new Unsettled(files, index, places);
        this.slots = new SlotRows(index);
        this.commits = new GroupCommit(this, unsettled, open);
    }

    public DriveFiles files() {
        return files;
    }

    public DriveIndex index() {
        return index;
    }

    Trash trash() {
        return trash;
    }

    Places places() {
        return places;
    }

    NamedBuckets names() {
        return names;
    }

    public Totals totals() {
        return usages.all();
    }

    /// The same of each bucket.
    public Usages usages() {
        return usages;
    }

    @Override
    public void close() {
        try {
            index.close();
        } finally {
            files.close();
        }
    }

    // ---- looking

    public Optional<ObjectEntry> entry(long bucketId, String key) throws IOException {
        var value = index.get(Table.OBJECTS, IndexKeys.object(bucketId, key));
        if (value.isPresent()) {
            return Optional.of(ObjectEntry.decode(value.get()));
        }
        return hasKeyless && index.get(Table.KEYLESS, keyless(bucketId, key)).isPresent()
                ? Optional.of(ObjectEntry.damaged(true))
                : Optional.empty();
    }

    /// Whether a bucket has files here whose keys only their hashes tell: a listing would lack them.
    public boolean hasKeyless(long bucketId) throws IOException {
        return hasKeyless && !isEmpty(Table.KEYLESS, bucketId);
    }

    /// Whether any bucket may; costs nothing.
    public boolean mayHaveKeyless() {
        return hasKeyless;
    }

    private static byte[] keyless(long bucketId, String key) {
        return IndexKeys.object(bucketId, Layout.escapedName(key));
    }

    /// The version that is committed. On a drive thread.
    public Optional<ObjectVersion> row(long bucketId, String key) throws IOException {
        return entry(bucketId, key).map(ObjectEntry::version);
    }

    /// Tells of what is committed of keys with these hashes, in [ObjectRows#ORDER]. On a drive thread.
    ///
    /// @param first the first hash
    /// @param hashes how many
    /// @param after where to go on, if one of these keys; empty: at the first one
    public void scanSlot(int first, int hashes, Optional<ObjectKey> after, SlotVisitor visitor) throws IOException {
        slots.scan(first, hashes, after, dropped, visitor);
    }

    public boolean exists(long bucketId, String key) throws IOException {
        return entry(bucketId, key).isPresent();
    }

    /// The newest change of a key that another drive may have missed, or not yet have.
    public Optional<ObjectVersion> note(long bucketId, String key) throws IOException {
        return notes(bucketId, key).stream().map(NoteKeys::versionOf).max(Comparator.naturalOrder());
    }

    /// What deletes all notes of a key; empty when there are none.
    public IndexBatch withoutNotes(long bucketId, String key) throws IOException {
        var gone = new IndexBatch();
        notes(bucketId, key).forEach(note -> gone.delete(Table.NOTES, note));
        return gone;
    }

    private List<byte[]> notes(long bucketId, String key) throws IOException {
        var prefix = NoteKeys.prefix(bucketId, key);
        var notes = new ArrayList<byte[]>();
        index.scan(Table.NOTES, prefix, (note, _) -> {
            boolean ours = IndexKeys.startsWith(note, prefix);
            if (ours) {
                notes.add(note);
            }
            return ours;
        });
        return notes;
    }

    public void deleteNotes() throws IOException {
        index.write(new IndexBatch().deleteRange(Table.NOTES, new byte[0], LAST), false);
    }

    /// Whether a table that is ordered by bucket has nothing of this one.
    public boolean isEmpty(Table table, long bucketId) throws IOException {
        return hasNone(table, IndexKeys.number(bucketId));
    }

    public boolean isEmpty(Table table) throws IOException {
        return hasNone(table, new byte[0]);
    }

    private boolean hasNone(Table table, byte[] prefix) throws IOException {
        var found = new boolean[1];
        index.scan(table, prefix, (key, _) -> {
            found[0] = IndexKeys.startsWith(key, prefix);
            return false;
        });
        return !found[0];
    }

    /// The object with its open file. The index says whether there is one and where; the file's record says the
    /// rest.
    public Found find(BucketRef bucket, String key) throws IOException {
        var entry = entry(bucket.id(), key);
        if (entry.isEmpty()) {
            return new Found.Absent();
        }
        return entry.get().damaged()
                ? new Found.Damaged(Layout.path(bucket, key, entry.get().escaped()) + " is marked as damaged")
                : lookAt(bucket, key, entry.get());
    }

    /// What lies where an entry says, whether it is marked as damaged or not.
    public Found lookAt(BucketRef bucket, String key, ObjectEntry entry) throws IOException {
        var path = Layout.path(bucket, key, entry.escaped());
        DriveFile file;
        try {
            file = files.open(path);
        } catch (NoSuchFileException _) {
            return new Found.Damaged(path + " is gone");
        }
        boolean kept = false;
        try {
            var record = record(path);
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
        return size == record.size()
                ? Optional.empty()
                : Optional.of("has " + size + " bytes instead of " + record.size());
    }

    /// The record of what is there, for conditions; a damaged object counts as present only by what the index
    /// knows.
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
        var attribute = files.attribute(path);
        if (attribute.isEmpty()) {
            throw new DamagedRecordException(path + " has no record");
        }
        return RecordFormat.head(attribute.get(), Layout.keyOf(path));
    }

    ObjectRecord record(String path) throws IOException {
        return RecordFormat.complete(head(path), this::details);
    }

    private byte[] details(ObjectVersion version) throws IOException {
        try (var file = files.open(Layout.aux(version))) {
            var bytes = ByteBuffer.allocate(Math.toIntExact(file.identity().size()));
            file.read(0, bytes);
            return bytes.array();
        }
    }

    // ---- soundness

    /// Whether the index has all intents that were ever prepared here: it was marked, and not made anew since. A blank
    /// drive is not marked.
    public boolean isSound() throws IOException {
        return index.get(Table.META, SOUND).isPresent();
    }

    /// Durable when it returns.
    public void markSound() throws IOException {
        index.write(new IndexBatch().put(Table.META, SOUND, new byte[] {1}), true);
    }

    /// A change came to this drive under a drive table by which its key does not belong here. Whoever has looked at all
    /// keys under that table may have passed it. Durable when it returns.
    ///
    /// @param table its version
    public void markLate(long table) throws IOException {
        if (!cameLate(table)) {
            index.write(new IndexBatch().put(Table.META, LATE, IndexKeys.number(table)), true);
        }
    }

    public boolean cameLate(long table) throws IOException {
        return index.get(Table.META, LATE).map(IndexKeys::number).equals(Optional.of(table));
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

    /// The same for a small object that is to last, whose bytes are at hand: the intent makes it durable, and its file
    /// is made afterwards. Touches no drive.
    ///
    /// @param work where the file is made when another is to be replaced
    /// @return empty when its record is too long for that
    public static Optional<Prepared> prepareSmallPut(
            BucketRef bucket, String work, ObjectRecord record, byte[] data, IndexBatch with) {
        return RecordFormat.atItsPath(record).map(attribute -> {
            var content = new Intent.Content(attribute, data);
            var entry = ObjectEntry.of(record, false);
            var intent = new Intent.Put(bucket, record.key(), work, entry, with, Optional.of(content));
            return new Prepared(Optional.of(intent), new IndexBatch(), Set.of(), true);
        });
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

    public static Prepared prepareDelete(BucketRef bucket, String key, ObjectVersion version, boolean durable) {
        return new Prepared(Optional.of(new Intent.Delete(bucket, key, version)), new IndexBatch(), Set.of(), durable);
    }

    /// A change of the index alone.
    public static Prepared prepareIndex(IndexBatch batch, Set<String> folders, boolean durable) {
        return new Prepared(Optional.empty(), batch, folders, durable);
    }

    /// Commits changes of different keys together.
    ///
    /// @return for each change why it was not done; such a change is void, also after a crash
    /// @throws IOException when it is not known what will be found after a restart; nothing more must be
    /// committed then
    public List<Optional<IOException>> commit(List<Prepared> group) throws IOException {
        var writes = group.stream().<DriveWrite>map(DriveWrite.Whole::new).toList();
        decide(writes);
        return fulfil(writes);
    }

    /// The first half of a commit: the intents are as durable as they are to be. The next group may be decided while
    /// this one is fulfilled, if their keys differ.
    void decide(List<DriveWrite> group) throws IOException {
        commits.decide(group);
    }

    /// The second half, in the order in which groups were decided, one group at a time.
    List<Optional<IOException>> fulfil(List<DriveWrite> group) throws IOException {
        return commits.fulfil(group);
    }

    OpenIntents open() {
        return open;
    }

    /// For the next group.
    OpenIntents.Admission admission() {
        return open.new Admission(unsettled);
    }

    /// Marks an object as damaged or as whole. Must not run beside a commit.
    ///
    /// @return whether the entry was still the one that was judged
    public boolean mark(long bucketId, String key, ObjectEntry judged, boolean asDamaged) throws IOException {
        boolean same = entry(bucketId, key).equals(Optional.of(judged));
        if (same) {
            index.write(ObjectRows.put(new IndexBatch(), bucketId, key, judged.marked(asDamaged)), true);
        }
        return same;
    }

    public boolean isDropped(long bucketId) {
        return dropped.contains(bucketId);
    }

    /// Does what an intent says.
    ///
    /// @param after gets the changes of the index
    /// @param changed gets the folders to sync
    /// @param replaced gets the version whose details are to go
    void fulfil(Intent intent, IndexBatch after, Set<String> changed, List<ObjectVersion> replaced) throws IOException {
        fulfil(intent, entry(intent.bucket().id(), intent.key()), after, changed, replaced);
    }

    /// The same when it is known what is there.
    void fulfil(
            Intent intent,
            Optional<ObjectEntry> old,
            IndexBatch after,
            Set<String> changed,
            List<ObjectVersion> replaced)
            throws IOException {
        var bucket = intent.bucket();
        switch (intent) {
            case Intent.Put put -> {
                boolean escaped = places.put(put, old, changed);
                after.addAll(put.with());
                ObjectRows.put(after, bucket.id(), put.key(), put.entry().at(escaped));
                usages.replaced(bucket.id(), old, put.entry());
            }
            case Intent.Delete _ -> {
                if (old.isPresent()) {
                    places.remove(Layout.path(bucket, intent.key(), old.get().escaped()), changed);
                }
                ObjectRows.delete(after, bucket.id(), intent.key())
                        .delete(Table.ACCESS, IndexKeys.object(bucket.id(), intent.key()))
                        .delete(Table.AGREED, IndexKeys.object(bucket.id(), intent.key()));
                old.ifPresent(gone -> usages.removed(bucket.id(), gone));
            }
        }
        forgetKeyless(bucket.id(), intent.key(), after);
        if (old.isPresent() && old.get().details() && !old.get().version().equals(intent.version())) {
            replaced.add(old.get().version());
        }
    }

    private void forgetKeyless(long bucketId, String key, IndexBatch after) {
        if (hasKeyless) {
            after.delete(Table.KEYLESS, keyless(bucketId, key));
        }
    }

    /// Makes what was changed so far durable, and lets the intents go. Returns when those of all earlier commits have.
    ///
    /// @return how many went
    public int settle() throws IOException {
        return unsettled.settle();
    }

    /// The same for all that was written to the index too. On a drive thread.
    public void syncAll() throws IOException {
        settle();
        index.write(new IndexBatch().put(Table.META, SYNCED, new byte[0]), true);
    }

    /// How many changes a start would do again.
    public int unsettled() {
        return unsettled.count();
    }

    // ---- buckets

    /// Takes a bucket away in one step. Its files are in the trash then, and `commit` must not bring new ones.
    public void drop(BucketRef bucket) throws IOException {
        dropped.add(bucket.id());
        settle();
        index.write(new IndexBatch().put(Table.META, dropKey(bucket), new byte[0]), true);
        finishDrop(bucket);
    }

    private static byte[] dropKey(BucketRef bucket) {
        return IndexKeys.utf8((char) DROPS[0] + ":" + bucket.id() + ":" + bucket.name());
    }

    private void finishDrop(BucketRef bucket) throws IOException {
        dropped.add(bucket.id());
        takePlainFiles(bucket);
        trash.take(Layout.escapedFolder(bucket.id()), bucket.id() + ".escaped");
        names.forget(bucket);
        places.sync(Set.of(Layout.OBJECTS, Layout.ESCAPED, Layout.BUCKETS, Layout.TRASH));
        var prefix = IndexKeys.number(bucket.id());
        var end = IndexKeys.number(bucket.id() + 1);
        var gone = new IndexBatch();
        index.scan(Table.UPLOADS, prefix, (key, _) -> {
            if (!IndexKeys.startsWith(key, prefix)) {
                return false;
            }
            var id = UploadKeys.idOf(key);
            trash.takeUpload(id);
            gone.deleteRange(Table.PARTS, UploadKeys.part(id, 0), UploadKeys.afterLastPart(id));
            return true;
        });
        usages.dropped(bucket.id());
        for (var each : OpenIntents.rows(index).entrySet()) {
            if (each.getValue().bucketId() == bucket.id()) {
                var version = IndexKeys.version(each.getKey());
                gone.delete(Table.INTENTS, version).delete(Table.OPEN, version);
            }
        }
        index.write(
                usages.writeTo(SlotRows.drop(bucket.id(), gone)
                        .deleteRange(Table.OBJECTS, prefix, end)
                        .deleteRange(Table.ACCESS, prefix, end)
                        .deleteRange(Table.AGREED, prefix, end)
                        .deleteRange(Table.NOTES, prefix, end)
                        .deleteRange(Table.KEYLESS, prefix, end)
                        .deleteRange(Table.UPLOADS, prefix, end)
                        .delete(Table.META, dropKey(bucket))),
                true);
        slots.purgeLater(bucket.id());
        open.removeAll(bucket.id()).forEach(places::giveUpQuietly);
    }

    /// The folder has the bucket's name only. A bucket that is dropped by mistake, when its name is another one's, does
    /// not take that one's objects with it.
    private void takePlainFiles(BucketRef bucket) throws IOException {
        if (!names.isNameOfAnother(bucket)) {
            trash.take(Layout.objects(bucket), bucket.id() + ".objects");
            return;
        }
        LOG.warn("bucket {} (id {}) is dropped file by file: another one has its name", bucket.name(), bucket.id());
        var changed = new HashSet<String>();
        var prefix = IndexKeys.number(bucket.id());
        index.scan(Table.OBJECTS, prefix, (row, value) -> {
            if (!IndexKeys.startsWith(row, prefix)) {
                return false;
            }
            var key = IndexKeys.keyOf(row);
            var path = Layout.plain(bucket, key);
            if (!ObjectEntry.decode(value).escaped()
                    && lying(path, false, bucket.id(), key).isPresent()) {
                trash.delete(path);
                changed.add(Layout.parent(path));
            }
            return true;
        });
        places.sync(changed);
    }

    /// Takes away the files of a multipart upload that has ended.
    public void throwAwayUpload(String id) throws IOException {
        trash.takeUpload(id);
    }

    /// Deletes some of the trash. What it has open in between is closed when there is no more, or by [#endPurge]; both
    /// are one thread's.
    ///
    /// @return whether there is more
    public boolean purge(int atMost) throws IOException {
        boolean moreRows = slots.purge(atMost);
        return trash.empty(atMost) || moreRows;
    }

    public void endPurge() {
        trash.close();
    }

    // ---- starting

    /// Whether the index is whole; else [#rebuild] it.
    public boolean isIndexed() throws IOException {
        return index.get(Table.META, INDEXED).isPresent();
    }

    /// Whether it is known how much each bucket has here; else [#recover] counts.
    public boolean isCounted() throws IOException {
        return Usages.areStored(index);
    }

    /// The id of the drive that an index was made for.
    public static Optional<String> owner(DriveIndex index) throws IOException {
        return index.get(Table.META, OWNER).map(value -> new String(value, StandardCharsets.UTF_8));
    }

    public void recordOwner(String drive) throws IOException {
        if (owner(index).isEmpty()) {
            index.write(new IndexBatch().put(Table.META, OWNER, drive.getBytes(StandardCharsets.UTF_8)), true);
        }
    }

    /// Makes the index from the files, and syncs them: what made an object durable may have been its intent, which is
    /// gone.
    public void rebuild() throws IOException {
        for (var table : Table.values()) {
            index.write(new IndexBatch().deleteRange(table, new byte[0], LAST), false);
        }
        var result = new Rebuild(this).run();
        if (result.files() > 0) {
            files.syncAll();
        }
        index.write(
                Usages.knownUpTo(result.newest(), result.usages().writeTo(new IndexBatch()))
                        .put(Table.META, SEQUENCE, IndexKeys.number(result.newest()))
                        .put(Table.META, INDEXED, new byte[] {1}),
                true);
    }

    /// The greatest sequence that may have been given to an own version here.
    public long greatestSequence() throws IOException {
        return index.get(Table.META, SEQUENCE).map(IndexKeys::number).orElse(0L);
    }

    public void reserveSequences(long upTo) throws IOException {
        index.write(Usages.knownUpTo(upTo, new IndexBatch().put(Table.META, SEQUENCE, IndexKeys.number(upTo))), true);
    }

    /// Finishes what a crash left open. To be called once, before anything else.
    public void recover() throws IOException {
        usages = Usages.load(index);
        reviewKeyless();
        names.load();
        dropped.addAll(slots.load());
        new Recovery(files, this).run();
        usages.uploaded().load(index);
    }

    /// Those that were brought back with their records since they were noted are objects again, and those that were
    /// taken away are gone.
    private void reviewKeyless() throws IOException {
        hasKeyless = !isEmpty(Table.KEYLESS);
        var rows = new ArrayList<byte[]>();
        index.scan(Table.KEYLESS, new byte[0], (row, _) -> {
            rows.add(row);
            if (rows.size() == KEYLESS_AT_ONCE) {
                reviewKeyless(rows);
            }
            return true;
        });
        reviewKeyless(rows);
    }

    private void reviewKeyless(List<byte[]> rows) throws IOException {
        var after = new IndexBatch();
        for (var row : rows) {
            long bucketId = IndexKeys.number(row);
            try {
                bringBack(bucketId, Layout.escapedFolder(bucketId) + "/" + IndexKeys.keyOf(row), after);
            } catch (NoSuchFileException _) {
                usages.removed(bucketId, ObjectEntry.damaged(true));
                after.delete(Table.KEYLESS, row);
            }
        }
        rows.clear();
        if (!after.isEmpty()) {
            index.write(usages.writeTo(after), true);
            hasKeyless = !isEmpty(Table.KEYLESS);
        }
    }

    private void bringBack(long bucketId, String path, IndexBatch after) throws IOException {
        try {
            var head = head(path);
            if (head.bucketId() == bucketId
                    && Layout.escaped(bucketId, head.key()).equals(path)) {
                found(ObjectEntry.of(head, true), bucketId, head.key(), after);
            }
        } catch (DamagedRecordException _) {
            // it is as it was
        }
    }

    void finishDrops() throws IOException {
        var drops = new ArrayList<BucketRef>();
        index.scan(Table.META, DROPS, (key, _) -> {
            if (key[0] != DROPS[0]) {
                return false;
            }
            var parts = new String(key, StandardCharsets.UTF_8).split(":", 3);
            drops.add(new BucketRef(Long.parseLong(parts[1]), parts[2]));
            return true;
        });
        for (var bucket : drops) {
            finishDrop(bucket);
        }
    }

    /// Throws away the files of uploads that the index does not have.
    void deleteEndedUploads() throws IOException {
        var group = new HashMap<String, String>();
        FolderWalk.each(files, Layout.UPLOADS, name -> {
            var id = name.replace("/", "");
            if (!Layout.isPutAside(id)) {
                group.put(id, name);
            }
            if (group.size() == UPLOADS_AT_ONCE) {
                deleteEnded(group);
            }
        });
        deleteEnded(group);
    }

    /// One look through the index for all of them, which has uploads by their keys only.
    private void deleteEnded(Map<String, String> nameOfId) throws IOException {
        if (!nameOfId.isEmpty()) {
            index.scan(Table.UPLOADS, new byte[0], (key, _) -> {
                nameOfId.remove(UploadKeys.idOf(key));
                return true;
            });
        }
        for (var name : nameOfId.values()) {
            trash.delete(Layout.UPLOADS + "/" + name);
        }
        nameOfId.clear();
    }

    /// Does a committed change again.
    void redo(Intent intent, IndexBatch after, Set<String> changed) throws IOException {
        fulfil(intent, after, changed, new ArrayList<>());
    }

    /// Makes durable what recovery changed, and forgets the intents it settled.
    void recovered(List<Intent> settled, IndexBatch after, Set<String> changed) throws IOException {
        if (settled.stream()
                .anyMatch(
                        each -> each instanceof Intent.Put put && put.content().isPresent())) {
            files.syncAll();
        } else {
            places.sync(changed);
        }
        settled.forEach(intent -> after.delete(Table.INTENTS, intent.indexKey()));
        index.write(usages.writeTo(after), true);
    }

    /// What lies at a path, when it is an object of this key with a readable record.
    Optional<ObjectEntry> lying(String path, boolean escaped, long bucketId, String key) throws IOException {
        if (!files.isFile(path)) {
            return Optional.empty();
        }
        try {
            var head = head(path);
            return head.bucketId() == bucketId && head.key().equals(key)
                    ? Optional.of(ObjectEntry.of(head, escaped))
                    : Optional.empty();
        } catch (DamagedRecordException _) {
            return Optional.empty();
        }
    }

    void found(ObjectEntry entry, long bucketId, String key, IndexBatch after) throws IOException {
        usages.replaced(bucketId, entry(bucketId, key), entry);
        ObjectRows.put(after, bucketId, key, entry);
        forgetKeyless(bucketId, key, after);
    }
}
