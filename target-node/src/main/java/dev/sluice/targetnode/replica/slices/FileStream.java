package dev.sluice.targetnode.replica.slices;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveFile;
import java.io.InputStream;
import java.nio.ByteBuffer;

/// Bytes of a drive's file, one call of the drive a read. They are not verified: others come in the place of those that
/// cannot be read. For one virtual thread.
final class FileStream extends InputStream {
    private final Drive drive;
    private final DriveFile file;
    private final long end;
    private long at;

    /// @param file closed with this
    FileStream(Drive drive, DriveFile file, long from, long to) {
        this.drive = drive;
        this.file = file;
        this.at = from;
        this.end = to;
    }

    @Override
    public int read() {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        if (at >= end) {
            return -1;
        }
        var bytes = ByteBuffer.wrap(into, offset, (int) Math.min(length, end - at));
        boolean readable = drive.callUnlessUnreadable(() -> {
                    file.read(at, bytes);
                    return bytes;
                })
                .isPresent();
        if (!readable) {
            bytes.position(bytes.limit());
        }
        int count = bytes.position() - offset;
        at += count;
        return count == 0 ? -1 : count;
    }

    @Override
    public long skip(long bytes) {
        long count = Math.clamp(bytes, 0, end - at);
        at += count;
        return count;
    }

    /// Waits for nothing.
    @Override
    public void close() {
        drive.closeLater(file);
    }
}
