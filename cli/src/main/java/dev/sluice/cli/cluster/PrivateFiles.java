package dev.sluice.cli.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Files and folders of DIR: for their owner only, whatever the mask of the user's shell.
final class PrivateFiles {
    static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

    private PrivateFiles() {}

    /// An empty file, for others to append to. One that is there stays as it is.
    static void create(Path file) throws IOException {
        FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OWNER_ONLY)
                .close();
    }

    /// Never seen half written.
    static void write(Path file, String text) throws IOException {
        var work = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(work);
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = FileChannel.open(work, options, OWNER_ONLY)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(work, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
