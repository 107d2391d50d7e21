package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which drives of a target an operator has disabled: `.sluice/disabled.json`, the same on each drive that can be
/// written, so that it is known also when the drive in question is gone. The newest undamaged copy counts.
///
/// @param version one more with every change
/// @param paths of the disabled drives, by id
public record DisabledDrives(long version, Map<String, String> paths) {
    private static final Logger LOG = LoggerFactory.getLogger(DisabledDrives.class);
    private static final int FORMAT = 1;
    private static final String FILE = ".sluice/disabled.json";

    public DisabledDrives {
        paths = Map.copyOf(paths);
    }

    /// @throws DriveRefusedException when a newer Sluice wrote it
    public static DisabledDrives load(List<Path> drives) throws IOException {
        DriveThread.assertMayBlock();
        var newest = new DisabledDrives(0, Map.of());
        for (var drive : drives) {
            var found = read(drive);
            if (found.isPresent() && found.get().version > newest.version) {
                newest = found.get();
            }
        }
        return newest;
    }

    private static Optional<DisabledDrives> read(Path drive) throws IOException {
        try {
            return SealedJson.read(drive.resolve(FILE), FORMAT).map(json -> {
                var paths = new TreeMap<String, String>();
                json.path("disabled")
                        .properties()
                        .forEach(
                                each -> paths.put(each.getKey(), each.getValue().asText()));
                return new DisabledDrives(json.path("version").asLong(), paths);
            });
        } catch (DriveRefusedException newer) {
            throw newer;
        } catch (IOException unreadable) {
            LOG.warn("{} is not asked which drives are disabled: {}", drive, unreadable.toString());
            return Optional.empty();
        }
    }

    /// Durable when it returns, on each of the drives that takes it.
    ///
    /// @throws IOException when none does
    public void save(List<Path> drives) throws IOException {
        DriveThread.assertMayBlock();
        var json = SealedJson.begin(FORMAT).put("version", version);
        var disabled = json.putObject("disabled");
        new TreeMap<>(paths).forEach(disabled::put);
        int saved = 0;
        for (var drive : drives) {
            try {
                SealedJson.write(drive.resolve(FILE), json.deepCopy());
                saved++;
            } catch (IOException failure) {
                LOG.warn("which drives are disabled cannot be written to {}: {}", drive, failure.toString());
            }
        }
        if (saved == 0) {
            throw new IOException("no drive takes " + FILE);
        }
    }

    public DisabledDrives with(String id, Path path) {
        var next = new TreeMap<>(paths);
        next.put(id, path.toString());
        return new DisabledDrives(version + 1, next);
    }

    public DisabledDrives without(String id) {
        var next = new TreeMap<>(paths);
        next.remove(id);
        return new DisabledDrives(version + 1, next);
    }

    /// The disabled drive that is, or was, at a path.
    ///
    /// @param found what is there now
    Optional<String> at(Path path, Optional<DriveIdentity> found) {
        return found.isPresent()
                ? found.map(DriveIdentity::id).filter(paths::containsKey)
                : paths.entrySet().stream()
                        .filter(each -> Objects.equals(each.getValue(), path.toString()))
                        .map(Map.Entry::getKey)
                        .min(Comparator.naturalOrder());
    }
}
