package dev.sluice.targetnode.storage.attach;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32C;

/// Small files of a drive that people may read: JSON with its format first and its checksum last.
final class ChecksummedJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    /// Not what was written.
    static final class DamagedException extends IOException {
        DamagedException(Path file) {
            super(file + " is damaged");
        }
    }

    private ChecksummedJson() {}

    static ObjectNode begin(int format) {
        return JSON.createObjectNode().put("format", format);
    }

    /// @return without the checksum; empty when there is no such file
    static Optional<ObjectNode> read(Path file, int newest) throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
        try {
            var json = (ObjectNode) JSON.readTree(bytes);
            int format = json.path("format").asInt();
            if (format > newest) {
                throw new DriveRefusedException("%s has format %d; this Sluice knows up to %d: start a newer one"
                        .formatted(file, format, newest));
            }
            var sum = json.remove("checksum");
            if (sum == null || !sum.asText().equals(checksum(json))) {
                throw new DamagedException(file);
            }
            return Optional.of(json);
        } catch (JsonProcessingException | ClassCastException _) {
            throw new DamagedException(file);
        }
    }

    /// Durable when it returns, and never half.
    static void write(Path file, ObjectNode json) throws IOException {
        json.put("checksum", checksum(json));
        var temporary = file.resolveSibling(file.getFileName() + ".new");
        try (var out = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            out.write(ByteBuffer.wrap(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json)));
            out.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        try (var folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private static String checksum(ObjectNode json) throws JsonProcessingException {
        var crc = new CRC32C();
        crc.update(JSON.writeValueAsBytes(json));
        return "%08x".formatted(crc.getValue());
    }
}
