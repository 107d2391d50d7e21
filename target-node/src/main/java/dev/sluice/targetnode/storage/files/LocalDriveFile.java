package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file of a local file system that is written, and may be read back.
final class LocalDriveFile implements DriveFile {
    private static final int NOT_OPEN = -1;

    private final FileChannel channel;
    private final Path path;
    private final UncachedChannel uncached;
    private int descriptor = NOT_OPEN;

    private LocalDriveFile(FileChannel channel, Path path) {
        this.channel = channel;
        this.path = path;
        this.uncached = new UncachedChannel(path, StandardOpenOption.WRITE);
    }

    /// @param how whether the file is there, or is to be made
    static LocalDriveFile open(Path path, OpenOption how) throws IOException {
        return new LocalDriveFile(FileChannel.open(path, how, StandardOpenOption.READ, StandardOpenOption.WRITE), path);
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
        uncached.tried(to -> writeAligned(to, offset, bytes));
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

    /// By a descriptor of its own: Java does not tell the channel's.
    @Override
    public void beginSync(long offset, long length) {
        DriveThread.assertMayBlock();
        try {
            if (descriptor == NOT_OPEN) {
                descriptor = NativeFile.open(path.toString());
            }
            NativeFile.beginSync(descriptor, offset, length);
        } catch (IOException _) {
            // the sync that follows does it all
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
    public void readUncached(long offset, ByteBuffer into) {
        throw openedForWriting();
    }

    @Override
    public FileIdentity identity() {
        throw openedForWriting();
    }

    @Override
    public boolean isCached(long offset, int length) {
        throw openedForWriting();
    }

    @Override
    public boolean readAtOnce(long offset, ByteBuffer into) {
        throw openedForWriting();
    }

    @Override
    public long sendAtOnce(long offset, long length, int socket) {
        throw openedForWriting();
    }

    @Override
    public void expectRead(long offset, long length) {
        throw openedForWriting();
    }

    private static IllegalStateException openedForWriting() {
        return new IllegalStateException("opened for writing");
    }

    @Override
    public void close() {
        DriveThread.assertMayBlock();
        try {
            if (descriptor != NOT_OPEN) {
                NativeFile.close(descriptor);
            }
            uncached.close();
            channel.close();
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }
}
