package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/// Files and folders that survive a loss of power.
public final class SyncedFiles {
    private SyncedFiles() {}

    /// Temp file, fsync, rename, fsync of the folder.
    public static void write(Path file, byte[]... parts) throws IOException {
        var temporary = file.resolveSibling(file.getFileName() + ".new");
        try (var channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (var part : parts) {
                for (var bytes = ByteBuffer.wrap(part); bytes.hasRemaining(); ) {
                    channel.write(bytes);
                }
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        sync(Objects.requireNonNull(file.getParent()));
    }

    public static void sync(Path fileOrFolder) throws IOException {
        try (var channel = FileChannel.open(fileOrFolder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /// Every file and folder below, and the folder itself.
    static void syncAll(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            for (var path : all.toList()) {
                sync(path);
            }
        }
    }

    static Set<String> names(Path folder) throws IOException {
        var names = new TreeSet<String>();
        try (var entries = Files.newDirectoryStream(folder)) {
            for (var entry : entries) {
                names.add(Objects.requireNonNull(entry.getFileName()).toString());
            }
        }
        return names;
    }

    /// The same names can be other files: one was deleted, and made again.
    static Set<String> identities(Path folder, Set<String> names) throws IOException {
        var identities = new TreeSet<String>();
        for (var name : names) {
            try {
                var file = Files.readAttributes(folder.resolve(name), BasicFileAttributes.class);
                identities.add("%s %s %s".formatted(name, file.fileKey(), file.creationTime()));
            } catch (NoSuchFileException _) {
                identities.add(name); // it has another name since
            }
        }
        return identities;
    }

    public static void deleteAll(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (var all = Files.walk(path)) {
            for (var each : all.toList().reversed()) {
                Files.delete(each);
            }
        }
    }
}
