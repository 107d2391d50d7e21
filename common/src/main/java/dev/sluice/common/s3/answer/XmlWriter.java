package dev.sluice.common.s3.answer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;

/// Writes XML into one growing buffer, as fast as a listing of a million keys needs it.
///
/// Characters that XML 1.0 cannot carry at all (most control characters, U+FFFE, U+FFFF) become U+FFFD. S3 writes
/// `&#x1;`, which no conforming parser takes (boto3's expat fails on the whole document), and one odd key must not make
/// a listing unreadable. Clients that need such keys exactly ask for encoding-type=url, as boto3 always does.
public final class XmlWriter {
    static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
    static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

    private static final byte[] REPLACEMENT = {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD};
    private static final byte[][] ESCAPES = escapes();
    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    private static final long SECONDS_OF_DAY = 86_400;

    private byte[] bytes;
    private int size;
    private long day = Long.MIN_VALUE;
    private LocalDate date = LocalDate.EPOCH;

    XmlWriter(int capacity) {
        bytes = new byte[capacity];
    }

    /// The declaration and the root's start tag in S3's namespace.
    public static XmlWriter document(String root, int capacity) {
        return new XmlWriter(capacity).ascii(DECLARATION).root(root);
    }

    XmlWriter root(String name) {
        return ascii("<").ascii(name).ascii(" xmlns=\"").ascii(NAMESPACE).ascii("\">");
    }

    public XmlWriter open(String name) {
        return ascii("<").ascii(name).ascii(">");
    }

    public XmlWriter close(String name) {
        return ascii("</").ascii(name).ascii(">");
    }

    public XmlWriter element(String name, String text) {
        return open(name).text(text).close(name);
    }

    public XmlWriter element(String name, long number) {
        return open(name).number(number).close(name);
    }

    XmlWriter element(String name, boolean value) {
        return open(name).ascii(value ? "true" : "false").close(name);
    }

    public XmlWriter element(String name, Instant time) {
        return open(name).time(time).close(name);
    }

    /// An ETag in the quotes that belong to it.
    XmlWriter etag(String etag) {
        return ascii("<ETag>&quot;").text(etag).ascii("&quot;</ETag>");
    }

    /// A key or prefix, percent-encoded when the client asked for encoding-type=url.
    XmlWriter key(String name, String key, boolean encode) {
        open(name);
        return (encode ? percentEncoded(key) : text(key)).close(name);
    }

    /// Text as it is: tags and numbers, ASCII only.
    XmlWriter ascii(String text) {
        int length = text.length();
        room(length);
        for (int i = 0; i < length; i++) {
            bytes[size + i] = (byte) text.charAt(i);
        }
        size += length;
        return this;
    }

    XmlWriter text(String text) {
        int length = text.length();
        // Escapes of ASCII are six bytes at most, other characters three per char.
        room(6 * length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                var escape = ESCAPES[c];
                if (escape.length == 1) {
                    bytes[size++] = escape[0];
                } else {
                    put(escape);
                }
            } else if (c < 0x800) {
                bytes[size++] = (byte) (0xC0 | (c >> 6));
                bytes[size++] = (byte) (0x80 | (c & 0x3F));
            } else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                int point = Character.toCodePoint(c, text.charAt(++i));
                bytes[size++] = (byte) (0xF0 | (point >> 18));
                bytes[size++] = (byte) (0x80 | ((point >> 12) & 0x3F));
                bytes[size++] = (byte) (0x80 | ((point >> 6) & 0x3F));
                bytes[size++] = (byte) (0x80 | (point & 0x3F));
            } else if (Character.isSurrogate(c) || c >= 0xFFFE) {
                put(REPLACEMENT);
            } else {
                bytes[size++] = (byte) (0xE0 | (c >> 12));
                bytes[size++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                bytes[size++] = (byte) (0x80 | (c & 0x3F));
            }
        }
        return this;
    }

    /// encoding-type=url: all but unreserved characters and `/`; a space as `%20`, which every decoder understands.
    XmlWriter percentEncoded(String text) {
        var utf8 = text.getBytes(StandardCharsets.UTF_8);
        room(3 * utf8.length);
        for (byte b : utf8) {
            if (isUnreserved(b)) {
                bytes[size++] = b;
            } else {
                bytes[size++] = '%';
                bytes[size++] = HEX[(b >> 4) & 0xF];
                bytes[size++] = HEX[b & 0xF];
            }
        }
        return this;
    }

    XmlWriter number(long number) {
        if (number < 0) {
            return ascii(Long.toString(number));
        }
        room(20);
        int digits = 1;
        for (long left = number; left >= 10; left /= 10) {
            digits++;
        }
        digits(number, digits);
        return this;
    }

    /// `2026-11-21T07:00:00.000Z`: whole seconds, as in the header Last-Modified.
    XmlWriter time(Instant time) {
        long second = time.getEpochSecond();
        long thisDay = Math.floorDiv(second, SECONDS_OF_DAY);
        if (thisDay != day) {
            day = thisDay;
            date = LocalDate.ofEpochDay(thisDay);
        }
        int ofDay = (int) (second - thisDay * SECONDS_OF_DAY);
        room(32);
        digits(date.getYear(), 4);
        bytes[size++] = '-';
        digits(date.getMonthValue(), 2);
        bytes[size++] = '-';
        digits(date.getDayOfMonth(), 2);
        bytes[size++] = 'T';
        digits(ofDay / 3600, 2);
        bytes[size++] = ':';
        digits(ofDay / 60 % 60, 2);
        bytes[size++] = ':';
        digits(ofDay % 60, 2);
        return ascii(".000Z");
    }

    public ByteBuffer finish() {
        return ByteBuffer.wrap(bytes, 0, size);
    }

    private void digits(long number, int count) {
        long left = number;
        for (int i = count - 1; i >= 0; i--) {
            bytes[size + i] = (byte) ('0' + left % 10);
            left /= 10;
        }
        size += count;
    }

    private void put(byte[] some) {
        for (int i = 0; i < some.length; i++) {
            bytes[size + i] = some[i];
        }
        size += some.length;
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }

    private static boolean isUnreserved(byte b) {
        return (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || (b >= '0' && b <= '9')
                || b == '/'
                || b == '-'
                || b == '.'
                || b == '_'
                || b == '~';
    }

    private static byte[][] escapes() {
        var escapes = new byte[0x80][];
        for (int c = 0; c < escapes.length; c++) {
            escapes[c] = c < ' ' ? REPLACEMENT : new byte[] {(byte) c};
        }
        escapes['&'] = ascii6("&amp;");
        escapes['<'] = ascii6("&lt;");
        escapes['>'] = ascii6("&gt;");
        escapes['"'] = ascii6("&quot;");
        // As references, since parsers turn these into spaces or line feeds otherwise.
        escapes['\t'] = ascii6("&#9;");
        escapes['\n'] = ascii6("&#10;");
        escapes['\r'] = ascii6("&#13;");
        return escapes;
    }

    private static byte[] ascii6(String escape) {
        return escape.getBytes(StandardCharsets.US_ASCII);
    }
}
