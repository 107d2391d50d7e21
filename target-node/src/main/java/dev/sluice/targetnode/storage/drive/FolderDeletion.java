package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/// Deletes all that is in a folder, in steps. In memory are a batch of names of the folder at work and of each above
/// it; a key has 512 folders at most.
///
/// Between steps it goes on where it was, with those folders open. To begin anew at each step would take a time that
/// grows with the square of the names: ext4 keeps, and reads again, the blocks of names that were deleted.
final class FolderDeletion implements AutoCloseable {
    /// Deletes one file.
    interface OfFile {
        void delete(String path) throws IOException;
    }

    /// A folder on the way.
    private static final class Level {
        private final String path;
        private final FolderWalk walk;
        private Iterator<String> batch = List.<String>of().iterator();

        Level(String path, FolderWalk walk) {
            this.path = path;
            this.walk = walk;
        }

        /// @return empty at the end
        String next() throws IOException {
            if (!batch.hasNext()) {
                batch = walk.next().iterator();
            }
            return batch.hasNext() ? batch.next() : "";
        }
    }

    private final DriveFiles files;
    private final OfFile ofFile;
    private final Deque<Level> levels = new ArrayDeque<>();
    private boolean foundAny;

    FolderDeletion(DriveFiles files, String folder, OfFile ofFile) throws IOException {
        this.files = files;
        this.ofFile = ofFile;
        enter(folder);
    }

    /// @return whether it has come to the end
    boolean step(int atMost) throws IOException {
        for (int left = atMost; left > 0; left--) {
            var level = levels.element();
            var name = level.next();
            foundAny |= !name.isEmpty();
            if (name.endsWith("/")) {
                enter(level.path + "/" + name.substring(0, name.length() - 1));
            } else if (!name.isEmpty()) {
                ofFile.delete(level.path + "/" + name);
            } else if (levels.size() == 1) {
                return true;
            } else {
                leave();
                files.deleteFolder(level.path); // where something has come meanwhile it stays, for a later deletion
            }
        }
        return false;
    }

    /// Whether there was anything: then something may have come that this deletion has not seen.
    boolean foundAny() {
        return foundAny;
    }

    private void enter(String folder) throws IOException {
        levels.push(new Level(folder, files.walk(folder)));
    }

    private void leave() {
        levels.pop().walk.close();
    }

    @Override
    public void close() {
        while (!levels.isEmpty()) {
            leave();
        }
    }
}
