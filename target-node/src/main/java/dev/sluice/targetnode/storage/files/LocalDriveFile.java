package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// A file of a local file system. Files to read from hold a second descriptor, for [NativeFile#identity].
final class LocalDriveFile implements DriveFile {
    private static final int NOT_OPEN = -1;
    /// How Linux says that a file system has no direct reads, or none of these (EINVAL).
    private static final String NOT_ALIGNED = "Invalid argument";

    private static final Optional<OpenOption> DIRECT = direct("com.sun.nio.file.ExtendedOpenOption");

    private final FileChannel channel;
    private final int descriptor;
    private Optional<FileChannel> direct = Optional.empty();
    private boolean cachedOnly;

    private LocalDriveFile(FileChannel channel, int descriptor) {
        this.channel = channel;
        this.descriptor = descriptor;
    }

    /// Named at run time: the JDK exports it (module jdk.unsupported), but its compiler warns of the name.
    private static Optional<OpenOption> direct(String options) {
        try {
            return Optional.of(
                    (OpenOption) Class.forName(options).getField("DIRECT").get(null));
        } catch (ReflectiveOperationException _) {
            return Optional.empty(); // another JDK: reads go through the page cache
        }
    }

    static LocalDriveFile writing(FileChannel channel) {
        return new LocalDriveFile(channel, NOT_OPEN);
    }

    /// Both descriptors are of the same file, also when the name is given to another one meanwhile.
    static LocalDriveFile reading(Path path) throws IOException {
        int descriptor = NativeFile.open(path.toString());
        try {
            return new LocalDriveFile(
                    FileChannel.open(Path.of("/proc/self/fd/" + descriptor), StandardOpenOption.READ), descriptor);
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
            if (!String.valueOf(failure.getMessage()).contains(NOT_ALIGNED)) {
                throw failure;
            }
            cachedOnly = true;
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

    /// A second channel to the same file, whatever its name is given to meanwhile.
    private Optional<FileChannel> direct() throws IOException {
        if (descriptor == NOT_OPEN) {
            throw new IllegalStateException("opened for writing");
        }
        if (direct.isEmpty() && DIRECT.isPresent() && !cachedOnly) {
            var path = Path.of("/proc/self/fd/" + descriptor);
            try {
                direct = Optional.of(FileChannel.open(path, StandardOpenOption.READ, DIRECT.get()));
            } catch (UnsupportedOperationException _) {
                cachedOnly = true;
            } catch (IOException failure) {
                if (!String.valueOf(failure.getMessage()).contains(NOT_ALIGNED)) {
                    throw failure;
                }
                cachedOnly = true;
            }
        }
        return cachedOnly ? Optional.empty() : direct;
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
