package dev.sluice.common.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// SHA-256 without the provider look-up for each use, the bytes that are signed, and the comparison that does not tell
/// where two values differ.
final class Digests {
    private static final MessageDigest FRESH_SHA256;

    static {
        try {
            FRESH_SHA256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Digests() {}

    static String sha256Hex(byte[] bytes) {
        return HexFormat.of().formatHex(copyOf(FRESH_SHA256).digest(bytes));
    }

    /// The text of a message as it came: one byte to a character off the wire; anything wider came another way,
    /// as UTF-8.
    static byte[] wireBytes(String text) {
        boolean narrow = true;
        for (int i = 0; i < text.length() && narrow; i++) {
            narrow = text.charAt(i) <= 0xFF;
        }
        return text.getBytes(narrow ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    /// Of the bytes that are signed, as S3 shows them: two hex digits each, a space between.
    static String spaced(String text) {
        return HexFormat.ofDelimiter(" ").formatHex(wireBytes(text));
    }

    static boolean equal(String expected, String given) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    /// Copying reads the original only, so threads may share it.
    static MessageDigest copyOf(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's own digests can be copied", e);
        }
    }
}
