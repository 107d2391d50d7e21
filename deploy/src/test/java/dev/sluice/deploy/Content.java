package dev.sluice.deploy;

import dev.sluice.testing.Bytes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Bytes that no other name gives, and digests to compare large ones by.
final class Content {
    static final int MIB = 1 << 20;

    private Content() {}

    static byte[] of(String name, int size) {
        return Bytes.random(0x5111CE ^ ((long) name.hashCode() << 16), size);
    }

    static String digest(byte[] bytes) {
        return HexFormat.of().formatHex(sha256().digest(bytes));
    }

    static String md5(byte[] bytes) {
        return HexFormat.of().formatHex(algorithm("MD5").digest(bytes));
    }

    static MessageDigest sha256() {
        return algorithm("SHA-256");
    }

    private static MessageDigest algorithm(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
