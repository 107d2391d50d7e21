package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of one drive and how they change, as plain sequential steps over the two seams: no threads, no locks.
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
final class Contents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Contents.class);

    private static final byte[] DROPS = {'d'};
    private static final byte[] SYNCED = {'y'};

    private final DriveFiles files;
    private final DriveIndex index;
    private final Set<Long> dropped = ConcurrentHashMap.newKeySet();
    private final Places places;
    private final ShardFiles shards;
    private final Trash trash;
    private final NamedBuckets names;
    private final Unsettled unsettled;
    private final OpenIntents open = new OpenIntents();
    private final SlotRows slots;
    private final KeylessFiles keyless;
    private final GroupCommit commits;
    private volatile Usages usages = new Usages();

    Contents(DriveFiles files, DriveIndex index) {
        this.files = files;
        this.index = index;
        this.places = new Places(files);
        this.shards = new ShardFiles(files);
        this.trash = new Trash(files, shards);
        this.names = new NamedBuckets(files);
        this.unsettled = new Unsettled(files, index, places);
        this.slots = new SlotRows(index);
        this.keyless = new KeylessFiles(index);
        this.commits = new GroupCommit(this, unsettled, open);
    }

    DriveFiles files() {
        return files;
    }

    DriveIndex index() {
        return index;
    }

    Trash trash() {
        return trash;
    }

    ShardFiles shards() {
        return shards;
    }

    Places places() {
        return places;
    }

    KeylessFiles keyless() {
        return keyless;
    }

    NamedBuckets names() {
        return names;
    }

    Totals totals() {
        return usages.all();
    }

    /// The same of each bucket.
    Usages usages() {
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

    Optional<ObjectEntry> entry(long bucketId, String key) throws IOException {
        var value = index.get(Table.OBJECTS, IndexKeys.object(bucketId, key));
        if (value.isPresent()) {
            return Optional.of(ObjectEntry.decode(value.get()));
        }
        return keyless.is(bucketId, key) ? Optional.of(ObjectEntry.damaged(true)) : Optional.empty();
    }

    /// The version that is committed. On a drive thread.
    Optional<ObjectVersion> row(long bucketId, String key) throws IOException {
        return entry(bucketId, key).map(ObjectEntry::version);
    }

    /// What the record of a file says, without details that are apart.
    RecordFormat.Head head(String path) throws IOException {
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

    // ---- changing

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
    boolean mark(long bucketId, String key, ObjectEntry judged, boolean asDamaged) throws IOException {
        boolean same = entry(bucketId, key).equals(Optional.of(judged));
        if (same) {
            index.write(ObjectRows.put(new IndexBatch(), bucketId, key, judged.marked(asDamaged)), true);
        }
        return same;
    }

    boolean isDropped(long bucketId) {
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
                if (old.isPresent() && isElsewhere(old.get(), put.entry())) {
                    places.remove(Layout.path(bucket, put.key(), old.get()), changed);
                }
                after.addAll(put.with());
                put.endedUpload().ifPresent(trash::takeEndedUpload);
                ObjectRows.put(after, bucket.id(), put.key(), put.entry().at(escaped));
                usages.replaced(bucket.id(), old, put.entry());
            }
            case Intent.Delete _ -> {
                if (old.isPresent()) {
                    places.remove(Layout.path(bucket, intent.key(), old.get()), changed);
                }
                ObjectRows.delete(after, bucket.id(), intent.key())
                        .delete(Table.ACCESS, IndexKeys.object(bucket.id(), intent.key()))
                        .delete(Table.AGREED, IndexKeys.object(bucket.id(), intent.key()));
                old.ifPresent(gone -> usages.removed(bucket.id(), gone));
            }
        }
        keyless.forget(bucket.id(), intent.key(), after);
        if (old.isPresent() && !old.get().version().equals(intent.version())) {
            shards.ending(old.get().version());
            if (old.get().details()) {
                replaced.add(old.get().version());
            }
        }
    }

    /// Where the bucket had whole objects, and has slices, or the other way round.
    private static boolean isElsewhere(ObjectEntry old, ObjectEntry now) {
        return !old.escaped() && old.slice().isPresent() != now.slice().isPresent();
    }

    /// Makes what was changed so far durable, and lets the intents go. Returns when those of all earlier commits have.
    ///
    /// @return how many went
    int settle() throws IOException {
        return unsettled.settle();
    }

    /// The same for all that was written to the index too. On a drive thread.
    void syncAll() throws IOException {
        settle();
        index.write(new IndexBatch().put(Table.META, SYNCED, new byte[0]), true);
    }

    /// How many changes a start would do again.
    int unsettled() {
        return unsettled.count();
    }

    // ---- buckets

    /// Takes a bucket away in one step. Its files are in the trash then, and `commit` must not bring new ones.
    void drop(BucketRef bucket) throws IOException {
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
        places.sync(Set.of(Layout.OBJECTS, Layout.SLICES, Layout.ESCAPED, Layout.BUCKETS, Layout.TRASH));
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
            trash.take(Layout.slices(bucket), bucket.id() + ".slices");
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
            var entry = ObjectEntry.decode(value);
            var path = Layout.own(bucket, key, entry);
            if (!entry.escaped() && lying(path, false, bucket.id(), key).isPresent()) {
                trash.delete(path);
                changed.add(Layout.parent(path));
            }
            return true;
        });
        places.sync(changed);
    }

    /// Takes away the files of a multipart upload that has ended.
    void throwAwayUpload(String id) throws IOException {
        trash.takeUpload(id);
    }

    /// Deletes some of the trash. What it has open in between is closed when there is no more, or by [#endPurge]; both
    /// are one thread's.
    ///
    /// @return whether there is more
    boolean purge(int atMost) throws IOException {
        boolean moreRows = slots.purge(atMost);
        boolean moreShards = shards.purge(atMost);
        return trash.empty(atMost) || moreRows || moreShards;
    }

    void endPurge() {
        trash.close();
    }

    // ---- starting

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

    /// Reads what is kept of all objects. To be called once, before anything else.
    void load() throws IOException {
        usages = Usages.load(index);
        keyless.review(this);
        names.load();
        shards.load();
        dropped.addAll(slots.load());
    }

    void scanSlot(int first, int hashes, Optional<ObjectKey> after, SlotVisitor visitor) throws IOException {
        slots.scan(first, hashes, after, dropped, visitor);
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
        keyless.forget(bucketId, key, after);
    }
}
