package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/// A file of a local file system. Files to read from hold a second descriptor, for [NativeFile#identity].
final class LocalDriveFile implements DriveFile {
    private static final int NOT_OPEN = -1;
    /// How Linux says that a file system has no direct reads and writes, or none of these (EINVAL), and how the JDK
    /// does where its blocks are larger than ours.
    private static final List<String> NOT_ALIGNED = List.of("Invalid argument", "multiple of the block size");

    private static final Optional<OpenOption> DIRECT = direct("com.sun.nio.file.ExtendedOpenOption");

    private final FileChannel channel;
    private final int descriptor;
    private final Path again;
    private final OpenOption use;
    private Optional<FileChannel> direct = Optional.empty();
    private boolean cachedOnly;

    /// @param again where the same file can be opened once more
    /// @param use whether it is read or written
    private LocalDriveFile(FileChannel channel, int descriptor, Path again, OpenOption use) {
        this.channel = channel;
        this.descriptor = descriptor;
        this.again = again;
        this.use = use;
    }

    /// Named at run time: the JDK exports it (module jdk.unsupported), but its compiler warns of the name.
    private static Optional<OpenOption> direct(String options) {
        try {
            return Optional.of(
                    (OpenOption) Class.forName(options).getField("DIRECT").get(null));
        } catch (ReflectiveOperationException _) {
            return Optional.empty(); // another JDK: all goes through the page cache
        }
    }

    /// @param how whether the file is there, or is to be made
    static LocalDriveFile writing(Path path, OpenOption how) throws IOException {
        var channel = FileChannel.open(path, how, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return new LocalDriveFile(channel, NOT_OPEN, path, StandardOpenOption.WRITE);
    }

    /// Both descriptors are of the same file, also when the name is given to another one meanwhile.
    static LocalDriveFile reading(Path path) throws IOException {
        int descriptor = NativeFile.open(path.toString());
        try {
            var opened = Path.of("/proc/self/fd/" + descriptor);
            var channel = FileChannel.open(opened, StandardOpenOption.READ);
            return new LocalDriveFile(channel, descriptor, opened, StandardOpenOption.READ);
        } catch (IOException | RuntimeException failure) {
            NativeFile.close(descriptor);
            throw failure;
        }
    }

    @Override
    public void write(long offset, ByteBuffer bytes) throws IOException {
        DriveThread.assertMayBlock();
        try {
            for (long position = offset; bytes.hasRemaining(); ) {
                position += channel.write(bytes, position);
            }
        } catch (IOException failure) {
            throw LocalDriveFiles.named(failure);
        }
    }

    @Override
    public void writeUncached(long offset, ByteBuffer bytes) throws IOException {
        DriveThread.assertMayBlock();
        int start = bytes.position();
        try {
            var uncached = direct();
            if (uncached.isPresent()) {
                writeAligned(uncached.get(), offset, bytes);
            }
        } catch (IOException failure) {
            requireNotAligned(failure);
        }
        write(offset + bytes.position() - start, bytes);
    }

    private static void writeAligned(FileChannel to, long offset, ByteBuffer bytes) throws IOException {
        int end = bytes.limit();
        bytes.limit(end - bytes.remaining() % ALIGNMENT);
        try {
            for (long position = offset; bytes.hasRemaining() && position % ALIGNMENT == 0; ) {
                position += to.write(bytes, position);
            }
        } finally {
            bytes.limit(end);
        }
    }

    @Override
    public void read(long offset, ByteBuffer into) throws IOException {
        DriveThread.assertMayBlock();
        for (long position = offset; into.hasRemaining(); ) {
            int read = channel.read(into, position);
            if (read < 0) {
                return;
            }
            position += read;
        }
    }

    @Override
    public void readUncached(long offset, ByteBuffer into) throws IOException {
        DriveThread.assertMayBlock();
        var uncached = direct();
        if (uncached.isEmpty()) {
            read(offset, into);
            return;
        }
        int start = into.position();
        try {
            readAligned(uncached.get(), offset, into);
        } catch (IOException failure) {
            requireNotAligned(failure);
            into.position(start);
            read(offset, into);
        }
    }

    /// Ends with the file: its last bytes are no whole block.
    private static void readAligned(FileChannel from, long offset, ByteBuffer into) throws IOException {
        for (long position = offset; into.hasRemaining(); ) {
            int read = from.read(into, position);
            if (read < 0 || read % ALIGNMENT != 0) {
                return;
            }
            position += read;
        }
    }

    /// A second channel to the same file.
    private Optional<FileChannel> direct() throws IOException {
        if (direct.isEmpty() && DIRECT.isPresent() && !cachedOnly) {
            try {
                direct = Optional.of(FileChannel.open(again, use, DIRECT.get()));
            } catch (UnsupportedOperationException _) {
                cachedOnly = true;
            } catch (IOException failure) {
                requireNotAligned(failure);
            }
        }
        return cachedOnly ? Optional.empty() : direct;
    }

    /// From now on it goes through the page cache.
    private void requireNotAligned(IOException failure) throws IOException {
        var message = String.valueOf(failure.getMessage());
        if (NOT_ALIGNED.stream().noneMatch(message::contains)) {
            throw LocalDriveFiles.named(failure);
        }
        cachedOnly = true;
    }

    @Override
    public void sync() throws IOException {
        DriveThread.assertMayBlock();
        try {
            channel.force(true);
        } catch (IOException failure) {
            throw LocalDriveFiles.named(failure);
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        DriveThread.assertMayBlock();
        channel.truncate(size);
    }

    @Override
    public FileIdentity identity() throws IOException {
        if (descriptor == NOT_OPEN) {
            throw new IllegalStateException("opened for writing");
        }
        return NativeFile.identity(descriptor);
    }

    @Override
    public boolean isCached(long offset, int length) {
        return length == 0 || NativeFile.isCached(descriptor, offset, length);
    }

    @Override
    public FileChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        DriveThread.assertMayBlock();
        if (descriptor != NOT_OPEN) {
            NativeFile.close(descriptor);
        }
        try {
            if (direct.isPresent()) {
                direct.get().close();
            }
            channel.close();
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }
}
