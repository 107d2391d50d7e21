package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes whole folders away in one step, and deletes what is in them bit by bit. Knows of the details that records
/// have in files of their own: they go with them.
final class Trash {
    private static final Logger LOG = LoggerFactory.getLogger(Trash.class);

    private final DriveFiles files;

    Trash(DriveFiles files) {
        this.files = files;
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
        } catch (DriveFullException _) {
            delete(Layout.upload(id) + "/"); // which needs no room
        }
    }

    /// Deletes some of what was taken.
    ///
    /// @return whether there is more
    boolean empty(int atMost) throws IOException {
        var left = new int[] {atMost};
        for (var name : files.list(Layout.TRASH)) {
            if (!isDeleted(Layout.TRASH + "/" + name, left)) {
                return true;
            }
        }
        return false;
    }

    /// @param path of a folder when it ends with '/'
    void delete(String path) throws IOException {
        var _ = isDeleted(path, new int[] {Integer.MAX_VALUE});
    }

    private boolean isDeleted(String path, int[] left) throws IOException {
        if (left[0]-- <= 0) {
            return false;
        }
        if (!path.endsWith("/")) {
            if (!Layout.isPart(path)) {
                files.attribute(path).ifPresent(this::deleteDetails);
            }
            files.delete(path);
            return true;
        }
        var folder = path.substring(0, path.length() - 1);
        for (var name : files.list(folder)) {
            if (!isDeleted(folder + "/" + name, left)) {
                return false;
            }
        }
        return files.deleteFolder(folder);
    }

    private void deleteDetails(byte[] attribute) {
        try {
            var head = RecordFormat.head(attribute, RecordFormat.NO_KEY);
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
