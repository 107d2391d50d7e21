import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.shards.ShardIndex;
import dev.sluice.targetnode.storage.shards.TarScan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/// How long it takes to open a shard's index, and to make it, beside one read of the shard whose blocks are compared
/// with their checksums. For `bench/shard-index`: a tar file, how many members it has, rounds.
final class ShardIndexTimes {
    private static final int BLOCK = 1 << 20;
    private static final ObjectKey OWNER = new ObjectKey(1, "shard.tar");

    private final Path shard;
    private final long size;
    private final int[] sums;

    private ShardIndexTimes(Path shard) throws IOException {
        this.shard = shard;
        this.size = Files.size(shard);
        this.sums = new int[(int) Math.ceilDiv(size, BLOCK)];
        try (var file = FileChannel.open(shard)) {
            for (int number = 0; number < sums.length; number++) {
                var block = ByteBuffer.allocate(BLOCK);
                readFully(file, (long) number * BLOCK, block);
                sums[number] = crc(block);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        var times = new ShardIndexTimes(Path.of(arguments[0]));
        int rounds = Integer.parseInt(arguments[1]);
        var index = Files.createTempFile("index", "");
        try {
            times.opening(index, rounds);
            times.making(rounds);
        } finally {
            Files.delete(index);
        }
    }

    private void opening(Path index, int rounds) throws IOException {
        long length = 0;
        try (var file = FileChannel.open(index, StandardOpenOption.WRITE)) {
            for (var part : scanned().file()) {
                length += file.write(part);
            }
        }
        var nanos = new long[1000 * rounds];
        int samples = 0;
        for (int i = -1000; i < nanos.length; i++) { // the first ones are not counted
            long begun = System.nanoTime();
            try (var file = FileChannel.open(index)) {
                samples = ShardIndex.samples((at, into) -> readFully(file, at, into), OWNER, size)
                        .orElseThrow()
                        .count();
            }
            nanos[Math.max(i, 0)] = System.nanoTime() - begun;
        }
        Arrays.sort(nanos);
        System.out.printf(
                "an index of %d bytes with %d samples opens in %.1f µs (median), %.1f µs (99 of 100)%n",
                length, samples, nanos[nanos.length / 2] / 1e3, nanos[nanos.length / 100 * 99] / 1e3);
    }

    private void making(int rounds) throws IOException {
        for (int round = 0; round <= rounds; round++) {
            long begun = System.nanoTime();
            eachBlock(block -> {});
            long read = System.nanoTime();
            scanned();
            long made = System.nanoTime();
            if (round > 0) { // the first one is not counted
                System.out.printf(
                        "round %d: a verified read of %d MiB %.1f ms, its index %.1f ms: %.2f times as long%n",
                        round,
                        size >> 20,
                        (read - begun) / 1e6,
                        (made - read) / 1e6,
                        (double) (made - read) / (read - begun));
            }
        }
    }

    private TarScan.Result scanned() throws IOException {
        var scan = new TarScan(OWNER, size);
        eachBlock(scan::take);
        return scan.end();
    }

    /// As a target does it: another thread reads a block and compares it while the one before is looked at.
    private void eachBlock(Consumer<ByteBuffer> look) throws IOException {
        try (var file = FileChannel.open(shard)) {
            var now = ByteBuffer.allocate(BLOCK);
            var next = ByteBuffer.allocate(BLOCK);
            var reading = verified(file, 0, next);
            for (int number = 0; number < sums.length; number++) {
                reading.join();
                var read = next;
                next = now;
                now = read;
                reading = verified(file, number + 1, next);
                look.accept(now.flip());
            }
        }
    }

    private CompletableFuture<Void> verified(FileChannel file, int number, ByteBuffer into) {
        return CompletableFuture.runAsync(() -> {
            readFully(file, (long) number * BLOCK, into.clear());
            if (number < sums.length && crc(into) != sums[number]) {
                throw new IllegalStateException("block " + number + " has changed");
            }
        });
    }

    private static void readFully(FileChannel file, long offset, ByteBuffer into) {
        try {
            for (long at = offset; into.hasRemaining(); ) {
                int count = file.read(into, at);
                if (count < 0) {
                    return;
                }
                at += count;
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// Of the bytes before its position.
    private static int crc(ByteBuffer block) {
        var crc = new CRC32C();
        crc.update(block.duplicate().flip());
        return (int) crc.getValue();
    }
}
