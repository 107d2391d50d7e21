package dev.sluice.common.http.engine;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/// Single header fields on the wire.
final class HeaderFields {
    /// What concerns one connection only and is never relayed.
    private static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "transfer-encoding",
            "upgrade");

    private HeaderFields() {}

    static boolean isHopByHop(String name) {
        return HOP_BY_HOP.contains(name.toLowerCase(Locale.ROOT));
    }

    /// One line. Characters up to U+00FF go out as the byte they came in as; a value with others goes out as UTF-8.
    ///
    /// @throws IllegalArgumentException when the field would break the message apart
    static void write(ByteBuf out, String name, String value) {
        requireName(name);
        // Checked first and written at once: a copy of the whole is cheaper than a write per character.
        boolean oneByteEach = requireOneLine(name, value);
        out.writeCharSequence(name, StandardCharsets.US_ASCII);
        out.writeByte(':').writeByte(' ');
        out.writeCharSequence(value, oneByteEach ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
        out.writeByte('\r').writeByte('\n');
    }

    private static void requireName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= 127 || c == ':') {
                throw new IllegalArgumentException("not a header name: " + name);
            }
        }
    }

    /// True when each character is one byte.
    private static boolean requireOneLine(String name, String value) {
        boolean oneByteEach = true;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\r' || c == '\n' || c == 0) {
                throw new IllegalArgumentException("a line break in header " + name);
            }
            oneByteEach &= c <= 0xFF;
        }
        return oneByteEach;
    }
}
