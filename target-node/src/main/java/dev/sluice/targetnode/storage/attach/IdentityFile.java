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
import java.util.HashMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/// Reads and writes a drive's identity: JSON for people, with its format first and its checksum last.
final class IdentityFile {
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    IdentityFile(Path drive) {
        this.file = drive.resolve(".sluice/drive.json");
    }

    Optional<DriveIdentity> read() throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException failure) {
            throw new DriveRefusedException(file + " cannot be read: " + failure.getMessage());
        }
        try {
            return Optional.of(parsed((ObjectNode) JSON.readTree(bytes)));
        } catch (JsonProcessingException | ClassCastException _) {
            throw damaged();
        }
    }

    private DriveIdentity parsed(ObjectNode json) throws JsonProcessingException {
        int format = json.path("format").asInt();
        if (format > FORMAT) {
            throw new DriveRefusedException(
                    "%s has format %d; this Sluice knows up to %d: start a newer one".formatted(file, format, FORMAT));
        }
        var sum = json.remove("checksum");
        if (sum == null || !sum.asText().equals(checksum(json))) {
            throw damaged();
        }
        var set = new HashMap<String, Long>();
        json.path("drives")
                .properties()
                .forEach(each -> set.put(each.getKey(), each.getValue().asLong()));
        return new DriveIdentity(
                json.path("cluster").asText(),
                json.path("node").asText(),
                json.path("id").asText(),
                json.path("weight").asLong(),
                json.path("formed").asBoolean(),
                set);
    }

    private DriveRefusedException damaged() {
        return new DriveRefusedException(file
                + " is damaged: restore it (each drive of the target names all), or attach the drive as a new one");
    }

    void write(DriveIdentity identity) throws IOException {
        var json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("cluster", identity.cluster())
                .put("node", identity.node())
                .put("id", identity.id())
                .put("weight", identity.weight())
                .put("formed", identity.formed());
        var drives = json.putObject("drives");
        new TreeMap<>(identity.set()).forEach(drives::put);
        json.put("checksum", checksum(json));
        var temporary = file.resolveSibling("drive.json.new");
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
