package dev.sluice.cli.demo.cold;

import dev.sluice.cli.demo.dataset.ShardStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/// Objects of random bytes of one size, known by their checksum.
record RandomObjects(String prefix, long size, Map<String, Long> checksums) {
    private static final int PIECE = 1 << 20;

    /// Makes them one after the other in a file, and puts each into the store.
    static RandomObjects put(ShardStore store, String prefix, int count, long size) throws IOException {
        var checksums = new LinkedHashMap<String, Long>();
        Path file = Files.createTempFile("sluice-cold-", ".bin");
        try {
            for (int number = 0; number < count; number++) {
                var key = key(prefix, number);
                checksums.put(key, write(file, size, number));
                store.put(key, file);
            }
        } finally {
            Files.delete(file);
        }
        return new RandomObjects(prefix, size, checksums);
    }

    String key(int number) {
        return key(prefix, number);
    }

    private static String key(String prefix, int number) {
        return "%s-%03d".formatted(prefix, number);
    }

    long checksum(String key) {
        return checksums.getOrDefault(key, -1L);
    }

    private static long write(Path file, long size, long seed) throws IOException {
        var random = new SplittableRandom(seed);
        var checksum = new CRC32C();
        var piece = new byte[PIECE];
        try (var out = Files.newOutputStream(file)) {
            for (long left = size; left > 0; left -= PIECE) {
                int length = (int) Math.min(PIECE, left);
                random.nextBytes(piece);
                checksum.update(piece, 0, length);
                out.write(piece, 0, length);
            }
        }
        return checksum.getValue();
    }
}
