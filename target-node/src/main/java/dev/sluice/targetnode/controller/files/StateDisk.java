package dev.sluice.targetnode.controller.files;

import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Files on the drives, and the threads that write them.
interface StateDisk {
    /// @return empty when there is no such file
    Optional<byte[]> read(Path file) throws IOException;

    /// Durable when it returns.
    void write(Path file, byte[] head, byte[] state) throws IOException;

    /// Makes a file that was read durable: its writer may have been killed just before.
    void sync(Path file) throws IOException;

    void start(String name, Runnable work);

    /// A file is written as temp file, fsync, rename, fsync of the folder. It holds the secret keys, so nobody but its
    /// owner may read it, at no time.
    class Local implements StateDisk {
        private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

        @Override
        public Optional<byte[]> read(Path file) throws IOException {
            try {
                return Optional.of(Files.readAllBytes(file));
            } catch (NoSuchFileException _) {
                return Optional.empty();
            }
        }

        /// Makes nothing where no drive is.
        @Override
        public void write(Path file, byte[] head, byte[] state) throws IOException {
            var folder = Objects.requireNonNull(file.getParent());
            if (!Files.isDirectory(folder)) {
                Files.createDirectory(folder);
            }
            var temporary = file.resolveSibling("state.new");
            Files.deleteIfExists(temporary); // left by a crash, perhaps with other permissions
            try (var channel = FileChannel.open(
                    temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY)) {
                writeFully(channel, ByteBuffer.wrap(head));
                writeFully(channel, ByteBuffer.wrap(state));
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            sync(file);
        }

        /// Its bytes were synced before it got its name.
        @Override
        public void sync(Path file) throws IOException {
            try (var channel = FileChannel.open(Objects.requireNonNull(file.getParent()), StandardOpenOption.READ)) {
                channel.force(true);
            }
        }

        @Override
        public void start(String name, Runnable work) {
            new DriveThread(work, name).start();
        }

        private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }
}
