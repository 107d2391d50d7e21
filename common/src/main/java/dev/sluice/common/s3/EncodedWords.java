package dev.sluice.common.s3;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/// User metadata beyond ASCII as S3 returns it: `=?UTF-8?Q?caf=C3=A9?=`, the encoded words of RFC 2047.
///
/// S3 takes each byte of a header for a character of ISO 8859-1 and so does this: `é` sent as UTF-8 is returned as a
/// word of `Ã©`. A client that wants its text back sends it as words. Of two encodings S3 chooses Q where more
/// than half of the characters are ASCII, else B; a word has at most 75 characters, and longer text is halved.
/// Text that begins or ends with white space is encoded too, since whoever reads a header drops that.
public final class EncodedWords {
    private static final String BEGIN = "=?";
    private static final String END = "?=";
    private static final int MOST_ENCODED = 75 - "=?UTF-8?B??=".length();
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private EncodedWords() {}

    /// The value as it is returned: of printable ASCII, with encoded words where the text has anything else.
    ///
    /// @param value as it was sent, one character for each byte
    public static String returned(String value) {
        var text = decoded(value);
        if (isPrintable(text)) {
            return text;
        }
        var out = new StringBuilder();
        encode(out, text, isMostlyAscii(text));
        return out.toString();
    }

    /// Whether every reader takes the value as it is: it has printable ASCII alone, and nothing like a word.
    public static boolean isPlain(String value) {
        return isPrintable(value) && !value.contains(BEGIN);
    }

    /// The text that the value stands for; words that are malformed, empty or of an unknown charset stay as they are.
    public static String decoded(String value) {
        if (!value.contains(BEGIN)) {
            return value;
        }
        var out = new StringBuilder(value.length());
        int copied = 0;
        boolean afterWord = false;
        for (int at = 0; at < value.length(); ) {
            int end = endOf(value, at);
            var word = word(value, at, end);
            if (word.isPresent()) {
                if (!afterWord) {
                    out.append(value, copied, at); // white space between two words is none of the text's
                }
                out.append(word.get());
                copied = end;
            } else if (end > at) {
                out.append(value, copied, end);
                copied = end;
            }
            afterWord = word.isPresent();
            at = end;
            while (at < value.length() && isSpace(value.charAt(at))) {
                at++;
            }
        }
        return out.append(value, copied, value.length()).toString();
    }

    private static int endOf(String value, int from) {
        int end = from;
        while (end < value.length() && !isSpace(value.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    /// `=?charset?encoding?text?=`
    private static Optional<String> word(String value, int from, int end) {
        if (!value.startsWith(BEGIN, from)) {
            return Optional.empty();
        }
        int charsetEnd = value.indexOf('?', from + 2);
        int textBegin = charsetEnd + 3;
        if (charsetEnd < 0
                || textBegin >= end - 2
                || !value.startsWith(END, end - 2)
                || value.charAt(textBegin - 1) != '?') {
            return Optional.empty();
        }
        var text = value.substring(textBegin, end - 2);
        return charset(value.substring(from + 2, charsetEnd))
                .flatMap(charset -> bytes(value.charAt(charsetEnd + 1), text).flatMap(bytes -> text(charset, bytes)));
    }

    private static Optional<Charset> charset(String name) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "UTF-8" -> Optional.of(StandardCharsets.UTF_8);
            case "US-ASCII" -> Optional.of(StandardCharsets.US_ASCII);
            case "ISO-8859-1" -> Optional.of(StandardCharsets.ISO_8859_1);
            default -> Optional.empty();
        };
    }

    private static Optional<byte[]> bytes(char encoding, String text) {
        try {
            return switch (encoding) {
                case 'B', 'b' -> Optional.of(Base64.getDecoder().decode(text));
                case 'Q', 'q' -> Optional.of(unquoted(text));
                default -> Optional.empty();
            };
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// @throws IllegalArgumentException when two hex digits do not follow a `=`
    private static byte[] unquoted(String text) {
        var bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '=') {
                if (i + 2 >= text.length()) {
                    throw new IllegalArgumentException("a = at the end");
                }
                bytes.write(HexFormat.fromHexDigits(text, i + 1, i + 3));
                i += 2;
            } else {
                bytes.write(c == '_' ? ' ' : c);
            }
        }
        return bytes.toByteArray();
    }

    private static Optional<String> text(Charset charset, byte[] bytes) {
        try {
            return Optional.of(
                    charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException _) {
            return Optional.empty();
        }
    }

    private static void encode(StringBuilder out, String text, boolean quoted) {
        var utf8 = text.getBytes(StandardCharsets.UTF_8);
        var encoded = quoted ? quoted(utf8) : Base64.getEncoder().encodeToString(utf8);
        if (encoded.length() <= MOST_ENCODED) {
            out.append("=?UTF-8?")
                    .append(quoted ? 'Q' : 'B')
                    .append('?')
                    .append(encoded)
                    .append(END);
            return;
        }
        int half = text.length() / 2;
        int middle = Character.isLowSurrogate(text.charAt(half)) ? half - 1 : half;
        encode(out, text.substring(0, middle), quoted);
        encode(out.append(' '), text.substring(middle), quoted);
    }

    private static String quoted(byte[] bytes) {
        var out = new StringBuilder(3 * bytes.length);
        for (byte b : bytes) {
            if (b == ' ') {
                out.append('_');
            } else if (b < ' ' || b == 0x7F || b == '=' || b == '_' || b == '?') {
                HEX.toHexDigits(out.append('='), b);
            } else {
                out.append((char) b);
            }
        }
        return out.toString();
    }

    private static boolean isPrintable(String text) {
        if (!text.isEmpty() && (isSpace(text.charAt(0)) || isSpace(text.charAt(text.length() - 1)))) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (!isPrintable(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isMostlyAscii(String text) {
        return 2 * text.chars().filter(c -> isPrintable((char) c)).count() > text.length();
    }

    private static boolean isPrintable(char c) {
        return (c >= ' ' && c < 0x7F) || c == '\t';
    }
}
