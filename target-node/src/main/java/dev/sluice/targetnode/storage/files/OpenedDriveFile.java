package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file of a local file system that is only read. The kernel reads nothing ahead of it: bytes that nobody has asked
/// for would be in the page cache without having been verified.
final class OpenedDriveFile implements DriveFile {
    private static final int PIECE = 256 << 10;
    private static final ThreadLocal<ByteBuffer> BUFFER =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PIECE));

    private final int descriptor;
    private final UncachedChannel uncached;

    private OpenedDriveFile(int descriptor) {
        this.descriptor = descriptor;
        // of the same file also when its name is given to another one meanwhile
        this.uncached = new UncachedChannel(Path.of("/proc/self/fd/" + descriptor), StandardOpenOption.READ);
    }

    static OpenedDriveFile open(Path path) throws IOException {
        int descriptor = NativeFile.open(path.toString());
        NativeFile.expectRandomReads(descriptor);
        return new OpenedDriveFile(descriptor);
    }

    @Override
    public void read(long offset, ByteBuffer into) throws IOException {
        DriveThread.assertMayBlock();
        if (into.isDirect()) {
            into.position(into.position() + readNative(offset, into));
            return;
        }
        int read = 1;
        for (long position = offset; into.hasRemaining() && read > 0; position += read) {
            var piece = BUFFER.get().clear().limit(Math.min(PIECE, into.remaining()));
            read = readNative(position, piece);
            into.put(piece.limit(read));
        }
    }

    private int readNative(long offset, ByteBuffer into) throws IOException {
        var memory = MemorySegment.ofBuffer(into);
        int length = 0;
        while (length < into.remaining()) {
            int read = NativeFile.read(descriptor, offset + length, memory.asSlice(length));
            if (read == 0) {
                break;
            }
            length += read;
        }
        return length;
    }

    @Override
    public boolean readAtOnce(long offset, ByteBuffer into) {
        long length = into.remaining();
        boolean whole = NativeFile.readAtOnce(descriptor, offset, MemorySegment.ofBuffer(into)) == length;
        if (whole) {
            into.position(into.limit());
        }
        return whole;
    }

    @Override
    public long sendAtOnce(long offset, long length, int socket) {
        long all = 0;
        long sent = 1;
        while (all < length && sent > 0) {
            sent = NativeFile.send(descriptor, offset + all, length - all, socket);
            all += Math.max(0, sent);
        }
        return all;
    }

    @Override
    public void expectRead(long offset, long length) {
        DriveThread.assertMayBlock();
        NativeFile.expectRead(descriptor, offset, length);
    }

    @Override
    public void readUncached(long offset, ByteBuffer into) throws IOException {
        DriveThread.assertMayBlock();
        int start = into.position();
        boolean done = uncached.tried(from -> {
            for (long position = offset; into.hasRemaining(); ) {
                int read = from.read(into, position);
                if (read < 0 || read % ALIGNMENT != 0) {
                    return; // the end of the file: its last bytes are no whole block
                }
                position += read;
            }
        });
        if (!done) {
            read(offset, into.position(start));
        }
    }

    @Override
    public FileIdentity identity() throws IOException {
        return NativeFile.identity(descriptor);
    }

    @Override
    public boolean isCached(long offset, int length) {
        return length == 0 || NativeFile.isCached(descriptor, offset, length);
    }

    @Override
    public void close() {
        DriveThread.assertMayBlock();
        try {
            uncached.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            NativeFile.close(descriptor);
        }
    }

    @Override
    public void write(long offset, ByteBuffer bytes) {
        throw openedForReading();
    }

    @Override
    public void writeUncached(long offset, ByteBuffer bytes) {
        throw openedForReading();
    }

    @Override
    public void sync() {
        throw openedForReading();
    }

    @Override
    public void truncate(long size) {
        throw openedForReading();
    }

    private static IllegalStateException openedForReading() {
        return new IllegalStateException("opened for reading");
    }
}
