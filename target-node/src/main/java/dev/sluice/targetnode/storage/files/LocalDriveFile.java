package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file of a local file system. Files to read from hold a second descriptor, for [NativeFile#identity].
final class LocalDriveFile implements DriveFile {
    private static final int NOT_OPEN = -1;

    private final FileChannel channel;
    private final int descriptor;

    private LocalDriveFile(FileChannel channel, int descriptor) {
        this.channel = channel;
        this.descriptor = descriptor;
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
            channel.close();
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }
}
