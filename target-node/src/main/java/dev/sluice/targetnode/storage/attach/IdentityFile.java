package dev.sluice.targetnode.storage.attach;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Optional;
import java.util.TreeMap;

/// Reads and writes a drive's identity: JSON for people, with its format first and its checksum last.
final class IdentityFile {
    private static final int FORMAT = 1;

    private final Path file;

    IdentityFile(Path drive) {
        this.file = drive.resolve(".sluice/drive.json");
    }

    Optional<DriveIdentity> read() throws IOException {
        try {
            return SealedJson.read(file, FORMAT).map(IdentityFile::parsed);
        } catch (SealedJson.DamagedException _) {
            throw damaged();
        } catch (IOException failure) {
            throw new DriveRefusedException(file + " cannot be read: " + failure.getMessage());
        }
    }

    private static DriveIdentity parsed(ObjectNode json) {
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
        var json = SealedJson.begin(FORMAT)
                .put("cluster", identity.cluster())
                .put("node", identity.node())
                .put("id", identity.id())
                .put("weight", identity.weight())
                .put("formed", identity.formed());
        var drives = json.putObject("drives");
        new TreeMap<>(identity.set()).forEach(drives::put);
        SealedJson.write(file, json);
    }
}
