package dev.sluice.targetnode.storage.attach;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// Reads and writes a drive's identity: JSON for people, with its format first and its checksum last.
final class IdentityFile {
    /// Says also how the index and the records are written: what an older build made is not read.
    private static final int FORMAT = 6;

    private final Path file;

    IdentityFile(Path drive) {
        this.file = drive.resolve(".sluice/drive.json");
    }

    /// @throws DriveRefusedException when there is one that cannot be read
    Optional<DriveIdentity> read() {
        try {
            var json = ChecksummedJson.read(file, FORMAT);
            json.ifPresent(this::requireThisFormat);
            return json.map(IdentityFile::parsed);
        } catch (ChecksummedJson.DamagedException _) {
            throw new DriveRefusedException(
                    file + " is damaged: restore it, or empty the drive to have it attached as a new one");
        } catch (IOException failure) {
            throw new DriveRefusedException(file + " cannot be read: " + failure.getMessage());
        }
    }

    private void requireThisFormat(ObjectNode json) {
        int format = json.path("format").asInt();
        if (format < FORMAT) {
            throw new DriveRefusedException(
                    "%s has format %d: the drive was made by an older build, and this one reads format %d only; %s"
                            .formatted(file, format, FORMAT, "start with empty drives, or copy the objects out first"));
        }
    }

    /// A start does not go on beside a drive of an older build: it must not be taken for a missing one.
    ///
    /// @throws DriveRefusedException when it is of an older build
    void requireThisFormat() {
        Optional<ObjectNode> json;
        try {
            json = ChecksummedJson.read(file, FORMAT);
        } catch (IOException | DriveRefusedException _) {
            return; // it is told where the drive is looked at
        }
        json.ifPresent(this::requireThisFormat);
    }

    private static DriveIdentity parsed(ObjectNode json) {
        return new DriveIdentity(
                json.path("cluster").asText(),
                json.path("node").asText(),
                json.path("id").asText(),
                json.path("weight").asLong(),
                json.path("formed").asBoolean());
    }

    void write(DriveIdentity identity) throws IOException {
        ChecksummedJson.write(
                file,
                ChecksummedJson.begin(FORMAT)
                        .put("cluster", identity.cluster())
                        .put("node", identity.node())
                        .put("id", identity.id())
                        .put("weight", identity.weight())
                        .put("formed", identity.formed()));
    }

    /// The drive is nobody's from now on.
    void retire() throws IOException {
        Files.move(file, file.resolveSibling(file.getFileName() + ".detached"), StandardCopyOption.ATOMIC_MOVE);
        syncFolder();
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
        syncFolder();
    }

    private void syncFolder() throws IOException {
        try (var folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
