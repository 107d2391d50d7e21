package dev.sluice.targetnode.storage.record;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Stands for a key where the key itself has no room.
public final class KeyHash {
    private KeyHash() {}

    /// The SHA-256 of its UTF-8.
    public static byte[] of(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
