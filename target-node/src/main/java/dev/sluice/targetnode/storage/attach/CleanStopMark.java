package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `.sluice/closed.json`: this drive was part of the target when it stopped in order, with this version of the drive
/// table. Not there while the drive is in use.
final class CleanStopMark {
    private static final Logger LOG = LoggerFactory.getLogger(CleanStopMark.class);
    private static final int FORMAT = 1;

    private final Path file;

    CleanStopMark(Path drive) {
        this.file = drive.resolve(".sluice/closed.json");
    }

    void write(String id, long version) throws IOException {
        DriveThread.assertMayBlock();
        ChecksummedJson.write(file, ChecksummedJson.begin(FORMAT).put("id", id).put("version", version));
    }

    /// One that cannot be read says nothing.
    OptionalLong read(String id) {
        DriveThread.assertMayBlock();
        try {
            var json = ChecksummedJson.read(file, FORMAT);
            return json.isPresent() && json.get().path("id").asText().equals(id)
                    ? OptionalLong.of(json.get().path("version").asLong())
                    : OptionalLong.empty();
        } catch (IOException | DriveRefusedException unreadable) {
            LOG.warn("{} does not count: {}", file, unreadable.toString());
            return OptionalLong.empty();
        }
    }

    /// Durable when it returns.
    void delete() throws IOException {
        DriveThread.assertMayBlock();
        if (Files.deleteIfExists(file)) {
            try (var folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
                folder.force(true);
            }
        }
    }
}
