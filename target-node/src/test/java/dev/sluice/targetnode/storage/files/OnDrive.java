package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.file.Path;

/// Work with a folder's files, on a drive thread.
interface OnDrive {
    void run(LocalDriveFiles files) throws IOException;

    static void run(Path folder, OnDrive work) throws Exception {
        try (var threads = new DriveThreads("test", 1, 1)) {
            DriveThreads.await(threads.startStep(() -> {
                try (var files = new LocalDriveFiles(folder)) {
                    work.run(files);
                }
            }));
        }
    }
}
