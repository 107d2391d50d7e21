package dev.sluice.bench.signing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// What `x-amz-content-sha256` says of a body.
public final class PayloadHash {
    public static final String UNSIGNED = "UNSIGNED-PAYLOAD";
    public static final String EMPTY = of(ByteBuffer.allocate(0));

    private PayloadHash() {}

    public static String of(ByteBuffer body) {
        MessageDigest digest = sha256();
        digest.update(body.duplicate());
        return HexFormat.of().formatHex(digest.digest());
    }

    static String of(String text) {
        return of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
