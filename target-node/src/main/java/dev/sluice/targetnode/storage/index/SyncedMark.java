package dev.sluice.targetnode.storage.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// How far an index was synced: 8 bytes, a RocksDB sequence number, and their CRC32C, in a file beside RocksDB's own.
///
/// RocksDB takes for its log's end whatever it cannot read, as it must after a power cut. So a log that has lost
/// synced writes, by one bad block or because the file is gone, opens without a word, as if they had never been. The
/// mark tells the two apart: an index that opens with less than it says has lost something. It is not synced itself,
/// for an older one is only weaker: what it says was synced before it was written.
final class SyncedMark implements AutoCloseable {
    private static final String NAME = "SYNCED";
    private static final int SIZE = 12;
    private static final long DAMAGED = Long.MAX_VALUE;

    private final FileChannel channel;
    private long reached;

    private SyncedMark(FileChannel channel, long reached) {
        this.channel = channel;
        this.reached = reached;
    }

    /// @param folder of the index, which is there
    static SyncedMark open(Path folder) throws IOException {
        var channel = FileChannel.open(
                folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean read = false;
        try {
            var mark = new SyncedMark(channel, read(channel));
            read = true;
            return mark;
        } finally {
            if (!read) {
                channel.close();
            }
        }
    }

    static boolean isIn(Path folder) {
        return Files.exists(folder.resolve(NAME));
    }

    /// An unreadable mark says nothing: it guards the index, it is not needed to use it.
    private static long read(FileChannel channel) throws IOException {
        var bytes = ByteBuffer.allocate(SIZE);
        int read;
        do {
            read = channel.read(bytes, bytes.position());
        } while (read > 0);
        return bytes.hasRemaining() || bytes.getInt(Long.BYTES) != sum(bytes) ? 0 : bytes.getLong(0);
    }

    private static int sum(ByteBuffer bytes) {
        var crc = new CRC32C();
        crc.update(bytes.slice(0, Long.BYTES));
        return (int) crc.getValue();
    }

    /// Why an index that has opened with this sequence number is not to be trusted; empty when it is.
    String against(long sequence) {
        if (reached == DAMAGED) {
            return "was found damaged while it was in use";
        }
        return sequence < reached ? "has lost synced writes: it ends at %d of %d".formatted(sequence, reached) : "";
    }

    /// Everything up to this sequence number is synced.
    synchronized void reached(long sequence) throws IOException {
        if (sequence > reached) {
            var bytes = ByteBuffer.allocate(SIZE).putLong(0, sequence);
            bytes.putInt(Long.BYTES, sum(bytes));
            while (bytes.hasRemaining()) {
                channel.write(bytes, bytes.position());
            }
            reached = sequence;
        }
    }

    /// The next start makes another index.
    void damaged() throws IOException {
        reached(DAMAGED);
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
