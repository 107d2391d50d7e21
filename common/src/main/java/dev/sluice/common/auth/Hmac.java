package dev.sluice.common.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/// HMAC (RFC 2104) under one key. Both padded-key states are hashed once and copied for every message, so that any
/// number of threads sign at the same time without a pool, a lock or a thread-local, and the key schedule
/// costs nothing.
public final class Hmac {
    private static final int BLOCK = 64;
    private static final HexFormat HEX = HexFormat.of();

    private final MessageDigest inner;
    private final MessageDigest outer;

    private Hmac(String digest, byte[] key) {
        try {
            this.inner = MessageDigest.getInstance(digest);
            this.outer = MessageDigest.getInstance(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + digest, e);
        }
        var block = Arrays.copyOf(key.length > BLOCK ? Digests.copyOf(inner).digest(key) : key, BLOCK);
        inner.update(padded(block, 0x36));
        outer.update(padded(block, 0x5c));
    }

    public static Hmac sha256(byte[] key) {
        return new Hmac("SHA-256", key);
    }

    /// Only for SigV2.
    static Hmac sha1(byte[] key) {
        return new Hmac("SHA-1", key);
    }

    public byte[] sign(byte[] message) {
        var second = Digests.copyOf(outer);
        second.update(Digests.copyOf(inner).digest(message));
        return second.digest();
    }

    public byte[] sign(String message) {
        return sign(message.getBytes(StandardCharsets.UTF_8));
    }

    public String hex(String message) {
        return HEX.formatHex(sign(message));
    }

    private static byte[] padded(byte[] block, int pad) {
        var padded = block.clone();
        for (int i = 0; i < padded.length; i++) {
            padded[i] ^= (byte) pad;
        }
        return padded;
    }
}
