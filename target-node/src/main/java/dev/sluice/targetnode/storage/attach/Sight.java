package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.spread.Member;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What is found at a path. To look changes nothing.
///
/// @param mount whether a file system of its own is mounted there
/// @param problem why it is broken, in one line; empty for other kinds
record Sight(Path path, Kind kind, Optional<DriveIdentity> identity, boolean mount, String problem) {
    enum Kind {
        /// There is no folder.
        ABSENT,
        /// A folder with nothing in it that Sluice would keep.
        BLANK,
        /// A drive says who it is.
        DRIVE,
        /// It cannot be used as it is.
        BROKEN
    }

    /// Where there is something only on a drive that was in use.
    private static final List<String> KEPT = List.of("objects", "slices", ".sluice/escaped", ".sluice/uploads");

    static Sight of(Path path) {
        DriveThread.assertMayBlock();
        if (!Files.exists(path)) {
            return new Sight(path, Kind.ABSENT, Optional.empty(), false, "");
        }
        try {
            boolean mount = isMount(path);
            var identity = new IdentityFile(path).read();
            if (identity.isPresent()) {
                return new Sight(path, Kind.DRIVE, identity, mount, "");
            }
            return isEmpty(path)
                    ? new Sight(path, Kind.BLANK, Optional.empty(), mount, "")
                    : broken(
                            path,
                            "drive " + path
                                    + " has objects but no identity: restore its .sluice/drive.json, or empty it");
        } catch (DriveRefusedException refused) {
            return broken(path, String.valueOf(refused.getMessage()));
        } catch (IOException failure) {
            return broken(path, "drive " + path + " cannot be read: " + failure);
        }
    }

    private static Sight broken(Path path, String problem) {
        return new Sight(path, Kind.BROKEN, Optional.empty(), false, problem);
    }

    private static boolean isMount(Path path) throws IOException {
        var folder = path.toRealPath();
        var above = folder.getParent();
        return above == null || !Files.getAttribute(folder, "unix:dev").equals(Files.getAttribute(above, "unix:dev"));
    }

    /// Whether it has no object, and no part of one. A drive that was detached keeps folders.
    static boolean isEmpty(Path drive) throws IOException {
        try (var listed = Files.newDirectoryStream(drive)) {
            var _ = listed.iterator().hasNext(); // that it can be listed at all
        }
        for (var folder : KEPT) {
            if (Files.isDirectory(drive.resolve(folder)) && hasFiles(drive.resolve(folder))) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasFiles(Path folder) throws IOException {
        try (var below = Files.walk(folder)) {
            return below.anyMatch(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS));
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        }
    }

    boolean is(String id) {
        return identity.isPresent() && identity.get().id().equals(id);
    }

    /// Whether a new drive may take the place of this member, whose path this is: its file system was emptied, or
    /// another one is mounted instead, but not merely unmounted.
    boolean replaces(Member member) {
        return kind == Kind.BLANK && (mount || !member.mount());
    }

    /// Why this is not the drive that should be here.
    String whyNot(String id) {
        return switch (kind) {
            case ABSENT -> "no drive is at " + path + " (there is no such folder): is its disk mounted?";
            case BLANK -> "no drive is at " + path + " (.sluice/drive.json is not there): is its disk mounted?";
            case BROKEN -> problem;
            case DRIVE ->
                "another drive is mounted at %s: it is %s, not %s"
                        .formatted(path, identity.map(DriveIdentity::id).orElse(""), id);
        };
    }
}
