package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.util.List;

/// The names in a folder, a batch at a time: a folder may have millions, and no more than one batch is in memory.
///
/// The folder may change meanwhile, also by who walks it. Linux shows each name that was there at the begin and is not
/// touched exactly once; one that comes, goes or is renamed meanwhile is shown or not. So whoever wants a folder empty
/// walks it again, and whoever gets a name must bear that the file is gone. The order is the file system's. ext4, XFS
/// and btrfs keep it as long as a name stays, also for a later walk.
///
/// To be used by one thread at a time. Its folder is open until [#close].
public interface FolderWalk extends AutoCloseable {
    int BATCH = 256;

    /// Is told a name.
    interface Visitor {
        void visit(String name) throws IOException;
    }

    /// At most [#BATCH] names, folders with a trailing '/'; none at the end.
    List<String> next() throws IOException;

    @Override
    void close();

    static void each(DriveFiles files, String folder, Visitor visitor) throws IOException {
        try (var walk = files.walk(folder)) {
            for (var batch = walk.next(); !batch.isEmpty(); batch = walk.next()) {
                for (var name : batch) {
                    visitor.visit(name);
                }
            }
        }
    }

    /// Whether nothing is in it, or there is no such folder.
    static boolean isEmpty(DriveFiles files, String folder) throws IOException {
        try (var walk = files.walk(folder)) {
            return walk.next().isEmpty();
        }
    }
}
