package dev.sluice.targetnode.coldfill;

import dev.sluice.common.http.ByteSource;
import dev.sluice.targetnode.storage.Upload;
import java.nio.ByteBuffer;

/// The bytes of a finished staging file, for the cloud.
final class UploadSource implements ByteSource {
    private static final int READ = 256 << 10;

    private final Upload upload;
    private final long size;
    private final ByteBuffer buffer;
    private long at;

    UploadSource(Upload upload, long size) {
        this.upload = upload;
        this.size = size;
        this.buffer = ByteBuffer.allocate((int) Math.min(READ, size));
    }

    @Override
    public ByteBuffer next() {
        buffer.clear().limit((int) Math.min(buffer.capacity(), size - at));
        if (buffer.hasRemaining()) {
            upload.readAt(at, buffer);
        }
        at += buffer.flip().remaining();
        return buffer; // too short, should the file be: then the cloud misses bytes, and refuses
    }

    @Override
    public void close() {}
}
