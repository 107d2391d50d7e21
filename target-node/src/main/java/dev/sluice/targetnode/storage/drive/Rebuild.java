package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.ObjectRows;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes a drive's index from its files: each record says whose file it is, and of two files of one key the newer
/// one counts. A work file with a whole record was about to be committed, and is. A file at a key's path without a
/// readable record is entered as damaged, so that its key is not taken for absent; one at a path made from a hash is
/// noted. Multipart uploads come last ([RebuiltUploads]).
final class Rebuild {
    private static final Logger LOG = LoggerFactory.getLogger(Rebuild.class);
    private static final int BATCH = 1000;
    private static final String UNREADABLE = "u:";

    private final Contents contents;
    private final DriveFiles files;
    private final DriveIndex index;
    private final Map<String, Long> bucketIds = new HashMap<>();
    private IndexBatch batch = new IndexBatch();
    private final Usages usages = new Usages();
    private long seen;
    private long newest;

    Rebuild(Contents contents) {
        this.contents = contents;
        this.files = contents.files();
        this.index = contents.index();
    }

    /// @param newest the greatest sequence of an own version that was found
    /// @param files how many it was made from
    record Result(Usages usages, long newest, long files) {}

    Result run() throws IOException {
        contents.names().each(bucket -> bucketIds.merge(bucket.name(), bucket.id(), Math::max));
        walk(Layout.OBJECTS, false);
        walk(Layout.SLICES, false);
        flush(1);
        walk(Layout.ESCAPED, true);
        flush(1);
        FolderWalk.each(files, Layout.WORK, name -> adopt(Layout.WORK + "/" + name));
        flush(1);
        enterUnreadable();
        newest = Math.max(newest, new RebuiltUploads(contents).run());
        LOG.info("index rebuilt from {} files", seen);
        return new Result(usages, newest, seen);
    }

    private void walk(String folder, boolean escaped) throws IOException {
        FolderWalk.each(files, folder, name -> {
            if (name.endsWith("/")) {
                walk(folder + "/" + name.substring(0, name.length() - 1), escaped);
            } else {
                visit(folder + "/" + name, escaped);
            }
        });
    }

    private Optional<RecordFormat.Head> head(String path) throws IOException {
        try {
            return Optional.of(contents.head(path));
        } catch (DamagedRecordException _) {
            return Optional.empty();
        }
    }

    private void visit(String path, boolean escaped) throws IOException {
        if (++seen % 100_000 == 0) {
            LOG.info("rebuilding the index: {} files so far", seen);
        }
        var head = head(path);
        if (head.isEmpty()) {
            setAside(path);
            return;
        }
        var key = head.get().key();
        long bucketId = head.get().bucketId();
        var own = Layout.ownPath(path);
        boolean isIts = escaped
                ? path.equals(Layout.escaped(bucketId, key))
                : own.filter(at -> at.key().equals(key)
                                && isSlices(at) == head.get().slice().isPresent())
                        .isPresent();
        if (!isIts) {
            setAside(path); // another object's file was put here
            return;
        }
        own.ifPresent(at -> bucketIds.merge(at.bucket(), bucketId, Math::max));
        enter(bucketId, key, ObjectEntry.of(head.get(), escaped));
    }

    private static boolean isSlices(Layout.OwnPath path) {
        return path.folder().equals(Layout.SLICES);
    }

    private void enter(long bucketId, String key, ObjectEntry entry) throws IOException {
        flush(BATCH);
        newest = Math.max(newest, entry.version().ownSequence());
        var indexKey = IndexKeys.object(bucketId, key);
        var known = index.get(Table.OBJECTS, indexKey);
        var other = known.isPresent() ? Optional.of(ObjectEntry.decode(known.get())) : Optional.<ObjectEntry>empty();
        if (other.isPresent() && other.get().version().compareTo(entry.version()) >= 0) {
            return;
        }
        usages.replaced(bucketId, other, entry);
        ObjectRows.put(batch, bucketId, key, entry);
    }

    /// To be entered when all buckets' ids are known. In the index until then: there may be any number.
    private void setAside(String path) throws IOException {
        flush(BATCH);
        batch.put(Table.META, IndexKeys.utf8(UNREADABLE + path), new byte[0]);
    }

    private void enterUnreadable() throws IOException {
        var from = IndexKeys.utf8(UNREADABLE);
        index.scan(Table.META, from, (key, _) -> {
            if (!IndexKeys.startsWith(key, from)) {
                return false;
            }
            var path = new String(key, StandardCharsets.UTF_8).substring(UNREADABLE.length());
            if (path.startsWith(Layout.ESCAPED + "/")) {
                noteKeyless(path);
            } else {
                enterDamaged(path);
            }
            return true;
        });
        batch.deleteRange(Table.META, from, IndexKeys.past(from));
        flush(1);
    }

    private void adopt(String work) throws IOException {
        var head = head(work);
        if (head.isEmpty() || files.size(work) != head.get().fileSize()) {
            files.delete(work);
            return;
        }
        seen++;
        var name = bucketIds.entrySet().stream()
                .filter(each -> each.getValue() == head.get().bucketId())
                .map(Map.Entry::getKey)
                .findFirst();
        var known = index.get(
                Table.OBJECTS,
                IndexKeys.object(head.get().bucketId(), head.get().key()));
        boolean replaced = known.isPresent()
                && ObjectEntry.decode(known.get())
                                .version()
                                .compareTo(head.get().version())
                        > 0;
        if (name.isEmpty() || replaced) {
            return;
        }
        var put = new Intent.Put(
                new BucketRef(head.get().bucketId(), name.get()),
                head.get().key(),
                work,
                ObjectEntry.of(head.get(), false),
                new IndexBatch(),
                Optional.empty());
        flush(BATCH);
        batch.put(Table.INTENTS, put.indexKey(), put.encode());
    }

    private void enterDamaged(String path) throws IOException {
        var own = Layout.ownPath(path);
        var id = own.map(at -> bucketIds.get(at.bucket()));
        if (id.isEmpty()) {
            LOG.error("{} has no readable record, and nothing says which bucket this was", path);
            return;
        }
        LOG.error("{} has no readable record", path);
        var entry = ObjectEntry.damaged(false);
        enter(id.get(), own.get().key(), isSlices(own.get()) ? entry.ofSlice() : entry);
    }

    private void noteKeyless(String path) throws IOException {
        LOG.error("{} has no readable record: its key is known when it is asked for", path);
        var bucketId = Layout.bucketOfEscaped(path);
        if (bucketId.isPresent()) {
            flush(BATCH);
            usages.replaced(bucketId.getAsLong(), Optional.empty(), ObjectEntry.damaged(true));
            var name = path.substring(path.lastIndexOf('/') + 1);
            batch.put(Table.KEYLESS, IndexKeys.object(bucketId.getAsLong(), name), new byte[0]);
        }
    }

    private void flush(int from) throws IOException {
        if (batch.changes().size() >= from) {
            index.write(batch, false);
            batch = new IndexBatch();
        }
    }
}
