package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.index.UploadKeys;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/// What a start does before anything else: makes the index from the files where it is not whole, and finishes what a
/// crash left. On a drive thread.
final class DriveStart {
    private static final byte[] INDEXED = {'i'};

    /// An upload's name is 32 bytes.
    private static final int UPLOADS_AT_ONCE = 16 << 10;

    private final Contents contents;
    private final DriveFiles files;
    private final DriveIndex index;

    DriveStart(Contents contents) {
        this.contents = contents;
        this.files = contents.files();
        this.index = contents.index();
    }

    /// Whether the index is whole; else [#rebuild] it.
    boolean isIndexed() throws IOException {
        return index.get(Table.META, INDEXED).isPresent();
    }

    /// Whether it is known how much each bucket has here; else [#recover] counts.
    boolean isCounted() throws IOException {
        return Usages.areStored(index);
    }

    /// Makes the index from the files, and syncs them: what made an object durable may have been its intent, which
    /// is gone.
    void rebuild() throws IOException {
        for (var table : Table.values()) {
            index.write(new IndexBatch().deleteAll(table), false);
        }
        var result = new Rebuild(contents).run();
        if (result.files() > 0) {
            files.syncAll();
        }
        index.write(
                Usages.knownUpTo(result.newest(), result.usages().writeTo(new IndexBatch()))
                        .put(Table.META, DriveMarks.SEQUENCE, IndexKeys.number(result.newest()))
                        .put(Table.META, INDEXED, new byte[] {1}),
                true);
    }

    /// Finishes what a crash left open. To be called once, before anything else.
    void recover() throws IOException {
        contents.load();
        new Recovery(contents, this).run();
        contents.usages().uploaded().load(index);
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
            contents.trash().delete(Layout.UPLOADS + "/" + name);
        }
        nameOfId.clear();
    }
}
