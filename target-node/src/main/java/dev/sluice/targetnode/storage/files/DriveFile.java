package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// One open file. Only [#identity], [#channel] and [#length] may be called on any thread.
public interface DriveFile extends AutoCloseable {
    /// Writes all of the bytes; advances the buffer.
    void write(long offset, ByteBuffer bytes) throws IOException;

    /// Fills the buffer unless the file ends before.
    void read(long offset, ByteBuffer into) throws IOException;

    /// Data, length and attributes are on the drive when this returns. Once it failed, the file must be thrown away.
    void sync() throws IOException;

    void truncate(long size) throws IOException;

    /// Cheap and never waits for the drive: what is known of an open file is in memory.
    FileIdentity identity() throws IOException;

    /// For the kernel to send from.
    FileChannel channel();

    @Override
    void close();
}
