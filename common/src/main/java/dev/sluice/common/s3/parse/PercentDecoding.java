package dev.sluice.common.s3.parse;

import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Strict percent-decoding: the bytes must be UTF-8 in its only (shortest) form, else InvalidURI. Characters above
/// U+007F in the raw text are bytes as they came over the wire (ISO 8859-1).
final class PercentDecoding {
    private PercentDecoding() {}

    /// @param plusIsSpace in a query; in a path `+` is itself
    static String decode(String raw, int from, int to, boolean plusIsSpace) {
        for (int i = from; i < to; i++) {
            char c = raw.charAt(i);
            if (c == '%' || c > 0x7F || (plusIsSpace && c == '+')) {
                return decodeBytes(raw, from, to, plusIsSpace);
            }
        }
        return raw.substring(from, to);
    }

    private static String decodeBytes(String raw, int from, int to, boolean plusIsSpace) {
        var bytes = ByteBuffer.allocate(to - from);
        for (int i = from; i < to; i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                if (i + 2 >= to) {
                    throw invalid();
                }
                bytes.put((byte) ((hex(raw.charAt(i + 1)) << 4) | hex(raw.charAt(i + 2))));
                i += 2;
            } else if (c > 0xFF) {
                throw invalid();
            } else {
                bytes.put((byte) (plusIsSpace && c == '+' ? ' ' : c));
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException _) {
            throw invalid();
        }
    }

    private static int hex(char digit) {
        int value = digit <= 0x7F ? Character.digit(digit, 16) : -1;
        if (value < 0) {
            throw invalid();
        }
        return value;
    }

    static S3Failure invalid() {
        return new S3Failure(S3Code.INVALID_URI, "Couldn't parse the specified URI: it is not percent-encoded UTF-8.");
    }
}
