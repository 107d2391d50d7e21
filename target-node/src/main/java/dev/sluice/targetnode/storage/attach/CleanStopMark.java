package dev.sluice.targetnode.storage.attach;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `.sluice/closed.json`: this drive was part of the target when it stopped in order, with this version of the drive
/// table. Not there while the drive is in use. It says too whether all writes of cloud buckets were settled by then.
final class CleanStopMark {
    private static final Logger LOG = LoggerFactory.getLogger(CleanStopMark.class);
    private static final int FORMAT = 1;

    private final Path file;

    CleanStopMark(Path drive) {
        this.file = drive.resolve(".sluice/closed.json");
    }

    void write(String id, long version, boolean settled) throws IOException {
        DriveThread.assertMayBlock();
        ChecksummedJson.write(
                file,
                ChecksummedJson.begin(FORMAT)
                        .put("id", id)
                        .put("version", version)
                        .put("settled", settled));
    }

    /// One that cannot be read says nothing.
    OptionalLong read(String id) {
        return of(id).map(json -> OptionalLong.of(json.path("version").asLong()))
                .orElse(OptionalLong.empty());
    }

    /// Whether the target was stopped in order, and no write of its was under way to a cloud. Builds that do not say so
    /// did not look.
    boolean isSettled(String id) {
        return of(id).filter(json -> json.path("settled").asBoolean()).isPresent();
    }

    private Optional<ObjectNode> of(String id) {
        DriveThread.assertMayBlock();
        try {
            return ChecksummedJson.read(file, FORMAT)
                    .filter(json -> json.path("id").asText().equals(id));
        } catch (IOException | DriveRefusedException unreadable) {
            LOG.warn("{} does not count: {}", file, unreadable.toString());
            return Optional.empty();
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
