package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// How many objects a drive has and their bytes, in all and of each bucket. Stored in the index, in the same batch as
/// the objects change; so the buckets' figures add up to the drive's. Where they do not, or a build that does not keep
/// them has started on the drive since, all are counted anew.
///
/// Changed by one thread, seen by any.
public final class Usages {
    private static final byte[] ALL = {'t'};
    private static final byte[] BUCKETS = {'b'};
    private static final byte[] AFTER_BUCKETS = {'b' + 1};
    private static final byte[] NONE = {};

    private final Map<Long, Totals> buckets = new ConcurrentHashMap<>();
    private final Set<Long> changed = new TreeSet<>();
    private final UploadedParts uploaded = new UploadedParts();
    private volatile Totals all = Totals.NONE;

    public Totals all() {
        return all;
    }

    /// An upload that just becomes an object may be counted as both, never as neither: uploads are asked first, for an
    /// object is counted before its upload is forgotten.
    public Usage of(long bucketId) {
        long uploading = uploaded.of(bucketId);
        var totals = buckets.getOrDefault(bucketId, Totals.NONE);
        return new Usage(totals.objects(), totals.bytes(), uploading);
    }

    /// Unfinished multipart uploads.
    public int uploads(long bucketId) {
        return uploaded.count(bucketId);
    }

    UploadedParts uploaded() {
        return uploaded;
    }

    /// An object takes the place of another, or of none.
    void replaced(long bucketId, Optional<ObjectEntry> old, ObjectEntry entry) {
        change(bucketId, old, Optional.of(entry));
    }

    void removed(long bucketId, ObjectEntry old) {
        change(bucketId, Optional.of(old), Optional.empty());
    }

    /// In one step: nobody is to see what was replaced as gone.
    private void change(long bucketId, Optional<ObjectEntry> old, Optional<ObjectEntry> now) {
        set(bucketId, changed(buckets.getOrDefault(bucketId, Totals.NONE), old, now));
        all = changed(all, old, now);
    }

    private static Totals changed(Totals before, Optional<ObjectEntry> old, Optional<ObjectEntry> now) {
        var left = old.isPresent() ? before.minus(old.get().bytes()) : before;
        return now.isPresent() ? left.plus(now.get().bytes()) : left;
    }

    void dropped(long bucketId) {
        var gone = buckets.getOrDefault(bucketId, Totals.NONE);
        all = new Totals(all.objects() - gone.objects(), all.bytes() - gone.bytes());
        set(bucketId, Totals.NONE);
        uploaded.dropped(bucketId);
    }

    private void set(long bucketId, Totals totals) {
        changed.add(bucketId);
        if (totals.equals(Totals.NONE)) {
            buckets.remove(bucketId);
        } else {
            buckets.put(bucketId, totals);
        }
    }

    /// Adds what has changed to the batch that changes the objects.
    IndexBatch writeTo(IndexBatch batch) {
        batch.put(Table.META, ALL, all.encode());
        for (long id : changed) {
            var totals = buckets.get(id);
            if (totals == null) {
                batch.delete(Table.META, key(id));
            } else {
                batch.put(Table.META, key(id), totals.encode());
            }
        }
        changed.clear();
        return batch;
    }

    private static byte[] key(long bucketId) {
        return ByteBuffer.allocate(BUCKETS.length + Long.BYTES)
                .put(BUCKETS)
                .putLong(bucketId)
                .array();
    }

    /// Whether what is stored can be used as it is; else [#load] takes its time.
    static boolean areStored(DriveIndex index) throws IOException {
        var stored = new Usages();
        return stored.read(index);
    }

    static Usages load(DriveIndex index) throws IOException {
        var stored = new Usages();
        return stored.read(index) ? stored : counted(index);
    }

    /// Notes that whoever gives the versions up to this one keeps the figures right.
    static IndexBatch knownUpTo(long sequence, IndexBatch batch) {
        return batch.put(Table.META, BUCKETS, IndexKeys.number(sequence));
    }

    /// Each start reserves versions: what was reserved and not noted was by a build that keeps no figures.
    private static boolean isKnownUpToNow(DriveIndex index) throws IOException {
        return Arrays.equals(
                index.get(Table.META, BUCKETS).orElse(NONE),
                index.get(Table.META, DriveMarks.SEQUENCE).orElse(NONE));
    }

    private boolean read(DriveIndex index) throws IOException {
        var drive = index.get(Table.META, ALL);
        all = drive.isEmpty() ? Totals.NONE : Totals.decode(drive.get());
        var sum = new Totals[] {Totals.NONE};
        index.scan(Table.META, IndexKeys.after(BUCKETS), (key, value) -> {
            if (!IndexKeys.startsWith(key, BUCKETS)) {
                return false;
            }
            var totals = Totals.decode(value);
            buckets.put(ByteBuffer.wrap(key, BUCKETS.length, Long.BYTES).getLong(), totals);
            sum[0] = new Totals(sum[0].objects() + totals.objects(), sum[0].bytes() + totals.bytes());
            return true;
        });
        return sum[0].equals(all) && isKnownUpToNow(index);
    }

    private static Usages counted(DriveIndex index) throws IOException {
        var counted = new Usages();
        index.scan(Table.OBJECTS, new byte[0], (key, value) -> {
            counted.replaced(IndexKeys.number(key), Optional.empty(), ObjectEntry.decode(value));
            return true;
        });
        index.scan(Table.KEYLESS, new byte[0], (key, _) -> {
            counted.replaced(IndexKeys.number(key), Optional.empty(), ObjectEntry.damaged(true));
            return true;
        });
        var batch = counted.writeTo(new IndexBatch().deleteRange(Table.META, BUCKETS, AFTER_BUCKETS));
        index.get(Table.META, DriveMarks.SEQUENCE).ifPresent(upTo -> batch.put(Table.META, BUCKETS, upTo));
        index.write(batch, true);
        return counted;
    }
}
