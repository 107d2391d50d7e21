package dev.sluice.common.auth;

import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.nio.charset.StandardCharsets;

/// Percent-encoding as SigV4 wants it: A–Z a–z 0–9 `-._~` stay, every other byte is `%` and two hex digits in upper
/// case. What is on the wire is first taken apart, so that clients may encode more or less than that.
final class UriEncoding {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();
    private static final boolean[] UNRESERVED = new boolean[256];

    static {
        for (char c : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".toCharArray()) {
            UNRESERVED[c] = true;
        }
    }

    private UriEncoding() {}

    /// The path of a canonical request: `/` stays, also where it was written `%2F`; `//` and `..` stay as they are.
    static void appendPath(StringBuilder out, String raw) {
        append(out, raw, true);
    }

    /// A name or value of a canonical query.
    static String canonicalQueryPart(String raw) {
        var out = new StringBuilder(raw.length() + 16);
        append(out, raw, false);
        return out.toString();
    }

    /// The text that a canonical name or value stands for.
    static String decoded(String canonical) {
        return canonical.indexOf('%') < 0
                ? canonical
                : new String(decodedBytes(canonical).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /// The same, but one character for each byte, as it is on the wire.
    static String decodedBytes(String canonical) {
        if (canonical.indexOf('%') < 0) {
            return canonical;
        }
        var out = new StringBuilder(canonical.length());
        for (int i = 0; i < canonical.length(); i++) {
            char c = canonical.charAt(i);
            out.append(c == '%' ? (char) escapedByte(canonical, i) : c);
            i += c == '%' ? 2 : 0;
        }
        return out.toString();
    }

    private static void append(StringBuilder out, String raw, boolean path) {
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                appendByte(out, escapedByte(raw, i), path);
                i += 2;
            } else if (c > 0xFF) {
                int end = raw.offsetByCodePoints(i, 1);
                for (byte b : raw.substring(i, end).getBytes(StandardCharsets.UTF_8)) {
                    appendByte(out, b & 0xFF, path);
                }
                i = end - 1;
            } else {
                appendByte(out, c == '+' && !path ? ' ' : c, path);
            }
        }
    }

    private static void appendByte(StringBuilder out, int b, boolean path) {
        if (UNRESERVED[b] || (path && b == '/')) {
            out.append((char) b);
        } else {
            out.append('%').append(HEX[b >> 4]).append(HEX[b & 0xF]);
        }
    }

    private static int escapedByte(String raw, int percent) {
        if (percent + 2 < raw.length()) {
            int high = Character.digit(raw.charAt(percent + 1), 16);
            int low = Character.digit(raw.charAt(percent + 2), 16);
            if (high >= 0 && low >= 0 && raw.charAt(percent + 1) < 0x80 && raw.charAt(percent + 2) < 0x80) {
                return (high << 4) | low;
            }
        }
        throw new S3Failure(S3Code.INVALID_URI, "The URI has a '%' that two hex digits do not follow.");
    }
}
