package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.files.PathTakenException;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes whole folders away in one step, and deletes what is in them bit by bit. Knows of the details that records
/// have in files of their own, and of the indexes of shards: they go with them.
final class Trash implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trash.class);

    private final DriveFiles files;
    private final ShardFiles shards;
    private Optional<FolderDeletion> emptying = Optional.empty();

    Trash(DriveFiles files, ShardFiles shards) {
        this.files = files;
        this.shards = shards;
    }

    /// @param folder may be gone already
    /// @param name that it gets in the trash
    void take(String folder, String name) throws IOException {
        try {
            files.rename(folder, Layout.TRASH + "/" + name);
        } catch (NoSuchFileException _) {
            // nothing was stored there, or a drop before a crash did it
        }
    }

    void takeUpload(String id) throws IOException {
        try {
            take(Layout.upload(id), id);
        } catch (DriveFullException | PathTakenException _) {
            delete(Layout.upload(id) + "/"); // which needs no room, nor a name: a late part may have made it again
        }
    }

    /// The same of one whose object is at its place: that must not fail any more.
    void takeEndedUpload(String id) {
        try {
            takeUpload(id);
        } catch (IOException failure) {
            LOG.warn("the files of the upload {} stay until the next start", id, failure); // it has ended all the same
        }
    }

    /// Deletes some of what was taken. One thread's, as is [#close].
    ///
    /// @return whether there may be more
    boolean empty(int atMost) throws IOException {
        boolean goesOn = false;
        try {
            if (emptying.isEmpty()) {
                emptying = Optional.of(new FolderDeletion(files, Layout.TRASH, this::deleteFile));
            }
            var deletion = emptying.get();
            goesOn = !deletion.step(atMost);
            return goesOn || deletion.foundAny();
        } finally {
            if (!goesOn) {
                close();
            }
        }
    }

    /// Ends the emptying under way; the next one begins anew.
    @Override
    public void close() {
        emptying.ifPresent(FolderDeletion::close);
        emptying = Optional.empty();
    }

    /// @param path of a folder when it ends with '/'
    void delete(String path) throws IOException {
        if (!path.endsWith("/")) {
            deleteFile(path);
            return;
        }
        var folder = path.substring(0, path.length() - 1);
        try (var deletion = new FolderDeletion(files, folder, this::deleteFile)) {
            boolean ended = false;
            while (!ended) {
                ended = deletion.step(FolderWalk.BATCH);
            }
        }
        files.deleteFolder(folder);
    }

    private void deleteFile(String path) throws IOException {
        if (!Layout.isPart(path)) {
            files.attribute(path).ifPresent(this::endVersion);
        }
        files.delete(path);
    }

    private void endVersion(byte[] attribute) {
        try {
            var head = RecordFormat.head(attribute, RecordFormat.NO_KEY);
            shards.ended(head.version());
            if (head.isApart()) {
                files.delete(Layout.aux(head.version()));
            }
        } catch (IOException _) {
            // an unreadable record names no details
        }
    }

    void deleteDetails(ObjectVersion replaced) {
        try {
            files.delete(Layout.aux(replaced));
        } catch (IOException failure) {
            LOG.warn("the details of the replaced version {} stay", replaced, failure); // nobody looks there
        }
    }
}
