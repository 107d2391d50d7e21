package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.PathTakenException;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings objects' files to where their keys lie, and takes them away. Nothing of that is synced: each method adds the
/// folders that it changed, for [#sync].
final class Places {
    private static final Logger LOG = LoggerFactory.getLogger(Places.class);

    private final DriveFiles files;

    Places(DriveFiles files) {
        this.files = files;
    }

    /// Moves the work file to where the key lies already, else to its own path, else to the escaped one.
    ///
    /// @return whether it is at the escaped path
    boolean put(Intent.Put put, Optional<ObjectEntry> old, Set<String> changed) throws IOException {
        if (put.content().isPresent()) {
            if (old.isEmpty()
                    && Layout.isPath(put.key())
                    && isMadeWhole(put, put.content().get(), changed)) {
                return false;
            }
            writeWork(put, put.content().get());
        }
        boolean wasEscaped = old.isPresent() && old.get().escaped();
        if (!wasEscaped && Layout.isPath(put.key())) {
            var path = Layout.own(put.bucket(), put.key(), put.entry());
            try {
                move(put.work(), path, changed);
                return false;
            } catch (PathTakenException _) {
                // another key's file or folder is there, and nothing that is stored moves
            }
        }
        move(put.work(), Layout.escaped(put.bucket().id(), put.key()), changed);
        return true;
    }

    /// The short way of a new key, where nothing is in its way.
    private boolean isMadeWhole(Intent.Put put, Intent.Content content, Set<String> changed) throws IOException {
        var path = Layout.own(put.bucket(), put.key(), put.entry());
        try {
            if (!files.createWhole(path, content.data(), content.record())) {
                return false;
            }
        } catch (NoSuchFileException | PathTakenException _) {
            return false; // the long way makes the folders, or finds another path
        }
        changed.add(Layout.parent(path));
        return true;
    }

    private void writeWork(Intent.Put put, Intent.Content content) throws IOException {
        try (var file = files.create(put.work())) {
            file.write(0, ByteBuffer.wrap(content.data()));
        }
        files.setAttribute(put.work(), RecordFormat.anywhere(content.record(), put.key()));
    }

    private void move(String work, String path, Set<String> changed) throws IOException {
        var folder = Layout.parent(path);
        try {
            files.rename(work, path);
        } catch (NoSuchFileException _) {
            files.createFolders(folder);
            for (var above = Layout.parent(folder); !above.isEmpty(); above = Layout.parent(above)) {
                changed.add(above);
            }
            changed.add("");
            files.rename(work, path);
        }
        changed.add(folder);
        changed.add(Layout.parent(work));
    }

    /// Deletes a file, if there is one, and the folders that are empty then.
    void remove(String path, Set<String> changed) throws IOException {
        if (!files.isFile(path)) {
            return;
        }
        files.delete(path);
        var folder = Layout.parent(path);
        changed.add(folder);
        try {
            while (folder.chars().filter(c -> c == '/').count() > 1 && files.deleteFolder(folder)) {
                folder = Layout.parent(folder);
                changed.add(folder);
            }
        } catch (IOException failure) {
            LOG.warn("the empty folder {} stays", folder, failure); // the object is gone all the same
        }
    }

    /// What was to become an object does not. An upload's bytes stay, for another Complete; but an index made anew must
    /// not take them for the object.
    void giveUp(String work) throws IOException {
        if (Layout.isWork(work)) {
            deleteWork(work);
        } else if (files.isFile(work)) {
            files.setAttribute(work, new byte[0]);
        }
    }

    /// A staging file that has no intent any more, of a bucket that has gone.
    void giveUpQuietly(String work) {
        if (Layout.isWork(work)) {
            deleteWork(work); // what an upload has goes with the upload
        }
    }

    private void deleteWork(String work) {
        try {
            files.delete(work);
        } catch (IOException failure) {
            LOG.warn("the work file {} stays until the next start", work, failure); // it is nobody's without an intent
        }
    }

    void sync(Set<String> folders) throws IOException {
        var done = new HashSet<String>();
        for (var each : folders) {
            var folder = each;
            while (done.add(folder)) {
                try {
                    files.syncFolder(folder);
                    break;
                } catch (NoSuchFileException _) {
                    folder = Layout.parent(folder); // emptied and deleted since: its parent says so
                }
            }
        }
    }
}
