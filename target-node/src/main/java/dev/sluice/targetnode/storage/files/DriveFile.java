package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;

/// One open file. Only [#identity], [#isCached], [#readAtOnce] and [#sendAtOnce] may be called on any thread.
public interface DriveFile extends AutoCloseable {
    /// What [#readUncached] asks of offsets, lengths and addresses.
    int ALIGNMENT = 4096;

    /// Of [#beginSyncBehind]: a thousandth of what a drive writes in a second.
    int SYNC_STEP = 2 << 20;

    /// Writes all of the bytes; advances the buffer.
    void write(long offset, ByteBuffer bytes) throws IOException;

    /// The same past the page cache, as far as the file system can do that and the bytes are whole blocks.
    ///
    /// @param offset a multiple of [#ALIGNMENT], as the buffer's address and position are
    void writeUncached(long offset, ByteBuffer bytes) throws IOException;

    /// Fills the buffer unless the file ends before.
    void read(long offset, ByteBuffer into) throws IOException;

    /// The same bytes as they are on the drive, past the page cache, where the file system can do that; else by it.
    /// For files opened to read only.
    ///
    /// @param offset a multiple of [#ALIGNMENT], as the buffer's address, position and remaining bytes are
    void readUncached(long offset, ByteBuffer into) throws IOException;

    /// A buffer for [#readUncached] and [#writeUncached].
    ///
    /// @param bytes a multiple of [#ALIGNMENT]
    static ByteBuffer uncachedBuffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes + ALIGNMENT)
                .alignedSlice(ALIGNMENT)
                .slice(0, bytes);
    }

    /// What the drive has there, by [#readUncached]; less when the file ends before.
    ///
    /// @param offset a multiple of [#ALIGNMENT]
    /// @param into of [#uncachedBuffer], and large enough
    static ByteBuffer uncached(DriveFile file, long offset, int length, ByteBuffer into) throws IOException {
        int whole = -Math.floorDiv(-length, ALIGNMENT) * ALIGNMENT;
        file.readUncached(offset, into.clear().limit(whole));
        return into.flip().limit(Math.min(into.limit(), length));
    }

    /// Has the drive begin to write these bytes, so that [#sync] finds less to do. A hint, and no promise.
    ///
    /// @param offset of bytes that were written
    default void beginSync(long offset, long length) {}

    /// The same for bytes that are appended piece by piece, in steps that are worth a call.
    ///
    /// @param offset of the piece that was written last
    default void beginSyncBehind(long offset, int length) {
        long begun = offset / SYNC_STEP * SYNC_STEP;
        long next = (offset + length) / SYNC_STEP * SYNC_STEP;
        if (next > begun) {
            beginSync(begun, next - begun);
        }
    }

    /// Data, length and attributes are on the drive when this returns. Once it failed, the file must be thrown away.
    void sync() throws IOException;

    void truncate(long size) throws IOException;

    /// Cheap and never waits for the drive: what is known of an open file is in memory.
    FileIdentity identity() throws IOException;

    /// Whether these bytes can be read without waiting for the drive, as far as the kernel tells. Itself cheap, and
    /// never waits. For files opened to read only.
    boolean isCached(long offset, int length);

    /// Fills the buffer with what is in the page cache. Never waits for the drive. For files opened to read only.
    ///
    /// @param into direct; it does not change when not all of these bytes are there, but its content may
    /// @return false when they are not all there, or the file system cannot tell
    boolean readAtOnce(long offset, ByteBuffer into);

    /// Hands bytes from the page cache to a socket that does not block, as many as it takes at once. Waits for
    /// the drive unless they are there. For files opened to read only.
    ///
    /// @param socket its descriptor
    /// @return how many it took
    long sendAtOnce(long offset, long length, int socket);

    /// Says that these bytes are about to be read, so that the drive reads them in one go. For files opened to
    /// read only.
    void expectRead(long offset, long length);

    @Override
    void close();
}
