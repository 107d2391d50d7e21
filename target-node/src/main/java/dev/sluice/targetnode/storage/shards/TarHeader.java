package dev.sluice.targetnode.storage.shards;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// One header block of a tar, read as Python's `tarfile` does: POSIX.1-1988 (ustar), GNU, V7.
///
/// @param type the byte of its kind
/// @param size as it says; not negative
/// @param name with the prefix
record TarHeader(char type, long size, MemberName name) {
    static final int LENGTH = 512;

    private static final String REGULAR = "0\0" + "7S";
    private static final String WITHOUT_DATA = "123456";
    private static final String PAX = "xX";
    private static final String LONG = "LK";
    private static final char GLOBAL = 'g';
    private static final char V7 = '\0';
    private static final char SPARSE = 'S';
    private static final int NAME = 100;
    private static final int SIZE = 124;
    private static final int CHECKSUM = 148;
    private static final int TYPE = 156;
    private static final int PREFIX = 345;
    private static final int PREFIX_END = 500;
    private static final int EXTENDED = 482;
    private static final int MAP_EXTENDED = 504;

    static boolean isEnd(byte[] block) {
        for (byte each : block) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    /// @return empty when it is no header: its checksum is wrong, or its size no number
    static Optional<TarHeader> parse(byte[] block) {
        long checksum = number(block, CHECKSUM, 8);
        long size = number(block, SIZE, 12);
        if (size < 0 || !isSum(block, checksum)) {
            return Optional.empty();
        }
        char type = (char) (block[TYPE] & 0xff);
        var name = text(block, 0, NAME);
        var prefix = text(block, PREFIX, PREFIX_END);
        boolean prefixed = prefix.length > 0 && LONG.indexOf(type) < 0 && type != SPARSE;
        return Optional.of(new TarHeader(type, size, new MemberName(prefixed ? joined(prefix, name) : name)));
    }

    /// Over all bytes with the checksum's own as spaces; old archives took the bytes as signed.
    private static boolean isSum(byte[] block, long checksum) {
        long unsigned = 8 * ' ';
        long signed = 8 * ' ';
        for (int i = 0; i < LENGTH; i++) {
            if (i < CHECKSUM || i >= CHECKSUM + 8) {
                unsigned += block[i] & 0xff;
                signed += block[i];
            }
        }
        return checksum == unsigned || checksum == signed;
    }

    /// Octal digits, or a binary number behind a byte that is no digit.
    ///
    /// @return -1 when it is none, or negative, or too large
    private static long number(byte[] block, int from, int length) {
        int first = block[from] & 0xff;
        if (first == 0x80 || first == 0xff) {
            long value = 0;
            for (int i = from + 1; i < from + length; i++) {
                if (first == 0xff || value >>> 55 != 0) {
                    return -1;
                }
                value = (value << 8) | (block[i] & 0xff);
            }
            return value;
        }
        var digits = new String(text(block, from, from + length), StandardCharsets.ISO_8859_1).strip();
        if (digits.isEmpty()) {
            return 0;
        }
        try {
            return digits.startsWith("+") ? -1 : Long.parseLong(digits, 8);
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    /// Up to the first NUL.
    static byte[] text(byte[] bytes, int from, int to) {
        int end = from;
        while (end < to && bytes[end] != 0) {
            end++;
        }
        return Arrays.copyOfRange(bytes, from, end);
    }

    private static byte[] joined(byte[] prefix, byte[] name) {
        var both = Arrays.copyOf(prefix, prefix.length + 1 + name.length);
        both[prefix.length] = '/';
        System.arraycopy(name, 0, both, prefix.length + 1, name.length);
        return both;
    }

    static long padded(long length) {
        return (length + LENGTH - 1) / LENGTH * LENGTH;
    }

    /// Whether it belongs to the header that follows, or to all.
    boolean isExtension() {
        return isPax() || isGlobal() || LONG.indexOf(type) >= 0;
    }

    boolean isPax() {
        return PAX.indexOf(type) >= 0;
    }

    boolean isGlobal() {
        return type == GLOBAL;
    }

    boolean isLongName() {
        return type == 'L';
    }

    boolean isSparse() {
        return type == SPARSE;
    }

    boolean isRegular() {
        return REGULAR.indexOf(type) >= 0 && !isOldFolder();
    }

    /// V7 has folders as files whose names end in '/'.
    private boolean isOldFolder() {
        return type == V7 && name.endsWithSlash();
    }

    /// Links, devices and folders have none, whatever their size says.
    boolean hasData() {
        return WITHOUT_DATA.indexOf(type) < 0 && !isOldFolder();
    }

    /// Whether a block of a sparse file's map follows its header.
    static boolean isExtended(byte[] header) {
        return header[EXTENDED] != 0;
    }

    /// Whether another one follows.
    static boolean isMapExtended(byte[] map) {
        return map[MAP_EXTENDED] != 0;
    }
}
