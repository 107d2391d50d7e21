package dev.sluice.testing;

import java.util.SplittableRandom;

/// What tests store.
public final class Bytes {
    private Bytes() {}

    /// Nothing compresses them, and the same seed gives the same bytes.
    public static byte[] random(long seed, int size) {
        var bytes = new byte[size];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }
}
