package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// `.sluice/cloud-writes`: the target may have written to a cloud since it last stopped in order, and a write may be
/// under way still. Empty: that it is there says all.
final class CloudWritesMark {
    private final Path file;

    CloudWritesMark(Path drive) {
        this.file = drive.resolve(".sluice/cloud-writes");
    }

    /// Durable when it returns.
    void write() throws IOException {
        DriveThread.assertMayBlock();
        try (var made = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
            made.force(true);
            folder.force(true);
        }
    }

    boolean isThere() {
        DriveThread.assertMayBlock();
        return Files.exists(file);
    }

    /// One that comes back after a loss of power does no harm.
    void delete() throws IOException {
        DriveThread.assertMayBlock();
        Files.deleteIfExists(file);
    }
}
