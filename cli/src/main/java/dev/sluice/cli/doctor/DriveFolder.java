package dev.sluice.cli.doctor;

import dev.sluice.cli.config.StorageConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// A folder that is, or is to be, a drive of a target: whether its file system is fit for that.
final class DriveFolder {
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
    private static final Set<String> OF_A_CONTAINER = Set.of("overlay", "aufs");
    private static final Set<String> OF_OTHERS = Set.of("nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "fuse", "fuseblk");
    private static final String ATTRIBUTE = "sluice.doctor";

    private final Path drive;
    private final StorageConfig storage;

    DriveFolder(Path drive, StorageConfig storage) {
        this.drive = drive;
        this.storage = storage;
    }

    List<Finding> findings() {
        if (Files.exists(drive) && !Files.isDirectory(drive)) {
            return List.of(Finding.problem(drive.toString(), "is no folder", "correct drives.paths"));
        }
        var there = nearest();
        try {
            var found = new ArrayList<Finding>();
            canBeWritten(there).ifPresent(found::add);
            var disk = Files.getFileStore(there);
            ofKind(disk.type()).ifPresent(found::add);
            room(disk).ifPresent(found::add);
            if (sharesRoot(there)) {
                found.add(Finding.warning(
                        drive.toString(),
                        there.equals(drive)
                                ? "lies on the file system of /"
                                : "is not there, and " + there + " lies on the file system of /",
                        "if a disk is to be mounted there, mount it before the target starts"));
            }
            return found.isEmpty() ? List.of(Finding.fine(drive.toString(), text(disk))) : found;
        } catch (IOException unreadable) {
            return List.of(Finding.problem(
                    drive.toString(), "cannot be read: " + unreadable, "look at the disk with dmesg and smartctl -a"));
        }
    }

    /// The device that it lies on.
    ///
    /// @return empty when it cannot be read
    Optional<Object> device() {
        try {
            return Optional.of(Files.getAttribute(nearest(), "unix:dev"));
        } catch (IOException unreadable) {
            return Optional.empty(); // which findings() reports
        }
    }

    /// Itself, or the folder in which a start would make it.
    private Path nearest() {
        return Stream.iterate(drive, folder -> folder != null, Path::getParent)
                .filter(Files::isDirectory)
                .findFirst()
                .orElseGet(() -> Path.of("/"));
    }

    private Optional<Finding> canBeWritten(Path folder) {
        try {
            var probe = Files.createTempFile(folder, ".sluice-doctor", "");
            try {
                var attributes = Files.getFileAttributeView(
                        probe, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
                attributes.write(ATTRIBUTE, ByteBuffer.allocate(1));
                return Optional.empty();
            } catch (IOException unsupported) {
                return Optional.of(Finding.problem(
                        drive.toString(),
                        "its file system keeps no extended attributes of users: " + unsupported.getMessage(),
                        "use ext4 or XFS; of another one, mount it with user_xattr"));
            } finally {
                Files.delete(probe);
            }
        } catch (IOException refused) {
            return Optional.of(Finding.problem(
                    drive.toString(),
                    "%s cannot be written: %s"
                            .formatted(folder, refused.getClass().getSimpleName()),
                    "give it to the user that runs the node (chown), and look whether it is mounted read-only"));
        }
    }

    private Optional<Finding> ofKind(String type) {
        if (IN_MEMORY.contains(type)) {
            return Optional.of(Finding.warning(
                    drive.toString(), "is in memory (" + type + "): a restart of the machine loses it", "use a disk"));
        }
        if (OF_A_CONTAINER.contains(type)) {
            return Optional.of(Finding.warning(
                    drive.toString(),
                    "is in the container's own file system (" + type + "): it goes with the container",
                    "mount a volume there"));
        }
        return OF_OTHERS.stream().anyMatch(kind -> type.equals(kind) || type.startsWith("fuse."))
                ? Optional.of(Finding.warning(
                        drive.toString(),
                        "is on a file system of type " + type + ": slow, and it fails with another machine",
                        "use a local disk"))
                : Optional.empty();
    }

    private Optional<Finding> room(FileStore disk) throws IOException {
        long free = disk.getUsableSpace();
        long used = used(disk);
        if (free < storage.reserve().bytes()) {
            return Optional.of(Finding.problem(
                    drive.toString(),
                    "has %d MiB free, less than storage.reserve (%s): writes get 507"
                            .formatted(free >> 20, storage.reserve()),
                    "make room, or attach another drive (sluice drive attach PATH)"));
        }
        return used > storage.highWatermark()
                ? Optional.of(Finding.warning(
                        drive.toString(),
                        "is %d %% full, above storage.high_watermark (%d %%)".formatted(used, storage.highWatermark()),
                        "cached objects are evicted now; if the drive is filled by other things, attach another one"))
                : Optional.empty();
    }

    private static long used(FileStore disk) throws IOException {
        return 100 - Math.round(100.0 * disk.getUsableSpace() / Math.max(1, disk.getTotalSpace()));
    }

    private static boolean sharesRoot(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:dev").equals(Files.getAttribute(Path.of("/"), "unix:dev"));
    }

    private static String text(FileStore disk) throws IOException {
        return "%s, %d %% full, %d GiB free".formatted(disk.type(), used(disk), disk.getUsableSpace() >> 30);
    }
}
