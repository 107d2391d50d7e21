package dev.sluice.targetnode.storage.files;

import dev.sluice.common.concurrent.Await;
import java.io.IOException;
import java.nio.file.Path;

/// Work with a folder's files, on a drive thread.
public interface OnDrive {
    void run(LocalDriveFiles files) throws IOException;

    static void run(Path folder, OnDrive work) throws Exception {
        run(() -> {
            try (var files = new LocalDriveFiles(folder)) {
                work.run(files);
            }
        });
    }

    /// Any work that is a drive thread's only.
    static void run(DriveThreads.Step step) throws Exception {
        try (var threads = new DriveThreads("test", 1, 1)) {
            Await.io(threads.startStep(step));
        }
    }
}
