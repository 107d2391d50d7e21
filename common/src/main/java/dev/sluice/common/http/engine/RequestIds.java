package dev.sluice.common.http.engine;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/// Names for requests: 13 characters, never twice in a process, unlikely twice in a cluster.
final class RequestIds {
    private static final byte[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".getBytes(StandardCharsets.US_ASCII);
    private static final int LENGTH = 13;

    private final AtomicLong next = new AtomicLong(new SecureRandom().nextLong());

    String next() {
        // An odd factor permutes the 64-bit numbers: neighbours look different, none repeats.
        long number = next.getAndIncrement() * 0x9E3779B97F4A7C15L;
        var text = new byte[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            text[i] = ALPHABET[(int) (number & 31)];
            number >>>= 5;
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }
}
