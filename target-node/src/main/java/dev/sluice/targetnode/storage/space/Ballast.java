package dev.sluice.targetnode.storage.space;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveFullException;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A file that holds some room, to be dropped when somebody has filled the file system to its last block: without
/// any, no index can be opened, and so nothing be read or deleted. A quarter of the reserve, 64 MiB at most. To be
/// called on drive threads.
public final class Ballast {
    private static final String FILE = ".sluice/ballast";
    private static final long MOST = 64L << 20;
    private static final int PIECE = 1 << 20;

    private Ballast() {}

    /// At a start, before anything is written, and when the operator's word cannot be recorded.
    ///
    /// @return whether there is more room now
    public static boolean dropWhenFull(DriveFiles files) throws IOException {
        return files.isFile(FILE) && files.freeBytes() < files.size(FILE) && files.delete(FILE);
    }

    /// Makes it when there is room enough and none is there.
    static void keep(DriveFiles files, long reserve, long free) throws IOException {
        long size = Math.min(MOST, reserve / 4);
        if (size > 0 && free - 2 * size >= reserve && !files.isFile(FILE)) {
            try (var file = files.create(FILE)) {
                var zeros = ByteBuffer.allocate(PIECE);
                for (long at = 0; at < size; at += zeros.limit()) {
                    file.write(at, zeros.clear().limit((int) Math.min(PIECE, size - at)));
                }
            } catch (DriveFullException _) {
                files.delete(FILE); // somebody was faster; another time
            }
        }
    }
}
