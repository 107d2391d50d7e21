package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.time.BootId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says, outside a drive, that the kernel still has all that was written to the drive in this boot.
///
/// A process that is killed leaves in the page cache what it did not sync. A drive that fails loses that, and the next
/// process cannot see it on the drive. So the mark is there only while nothing has failed, and the first failure
/// removes it. It lies on a file system in memory: removing it does not depend on any drive, and it does not outlive
/// the page cache. Where there is no such file system there is no mark, and each process that was not the first must
/// compare its drive with other replicas.
///
/// One object is made each time the drive is opened, before that.
public final class KeptWritesMark {
    private static final Logger LOG = LoggerFactory.getLogger(KeptWritesMark.class);
    private static final Path MEMORY = Path.of("/dev/shm");

    /// For a drive without replicated buckets: never there.
    static final KeptWritesMark NONE = new KeptWritesMark(Optional.empty(), "");

    private final Optional<Path> file;
    private final String boot;
    private boolean removed;

    private KeptWritesMark(Optional<Path> file, String boot) {
        this.file = file;
        this.boot = boot;
    }

    /// @param drive its id, which is unique among all drives
    public static KeptWritesMark of(String drive) {
        var user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9_-]", "_");
        return in(MEMORY.resolve("sluice-" + user), drive);
    }

    /// @param folder is made when its parent exists
    public static KeptWritesMark in(Path folder, String drive) {
        try {
            return new KeptWritesMark(Optional.of(folder.resolve("kept-" + drive)), BootId.read());
        } catch (IOException failure) {
            LOG.warn("drive {}: the kernel's boot id cannot be read: {}", drive, failure.getMessage());
            return NONE;
        }
    }

    public synchronized boolean isThere() {
        if (removed || file.isEmpty() || !Files.isRegularFile(file.get())) {
            return false;
        }
        try {
            return Files.readString(file.get()).equals(boot);
        } catch (IOException failure) {
            LOG.warn("mark {} cannot be read: {}", file.get(), failure.toString());
            return false;
        }
    }

    /// When the log knows this life of the drive. No effect after [#remove]: then the drive has failed meanwhile.
    public synchronized void put() {
        if (removed || file.isEmpty() || isThere()) {
            return;
        }
        try {
            var folder = file.get().resolveSibling(".").normalize();
            if (!Files.isDirectory(folder)) {
                Files.createDirectory(folder);
            }
            Files.writeString(file.get(), boot);
        } catch (IOException failure) {
            LOG.warn(
                    "mark {} cannot be written, so the drive is compared with other replicas after a kill: {}",
                    file.get(),
                    failure.toString());
        }
    }

    /// At the first failure. Never waits for a drive.
    public synchronized void remove() {
        removed = true;
        file.ifPresent(KeptWritesMark::delete);
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            LOG.error("mark {} cannot be removed: remove it before this node starts again", file, failure);
        }
    }
}
