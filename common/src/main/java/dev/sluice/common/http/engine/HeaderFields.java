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
        writeName(out, name);
        out.writeByte(':').writeByte(' ');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\r' || c == '\n' || c == 0) {
                throw new IllegalArgumentException("a line break in header " + name);
            }
            if (c > 0xFF) {
                out.writerIndex(out.writerIndex() - i);
                writeUtf8(out, name, value);
                break;
            }
            out.writeByte(c);
        }
        out.writeByte('\r').writeByte('\n');
    }

    private static void writeName(ByteBuf out, String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= 127 || c == ':') {
                throw new IllegalArgumentException("not a header name: " + name);
            }
            out.writeByte(c);
        }
    }

    private static void writeUtf8(ByteBuf out, String name, String value) {
        if (value.indexOf('\r') >= 0 || value.indexOf('\n') >= 0 || value.indexOf(0) >= 0) {
            throw new IllegalArgumentException("a line break in header " + name);
        }
        out.writeBytes(value.getBytes(StandardCharsets.UTF_8));
    }
}
