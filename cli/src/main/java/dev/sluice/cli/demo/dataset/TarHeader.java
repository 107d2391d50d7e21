package dev.sluice.cli.demo.dataset;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The 512 bytes before a file in a POSIX ustar archive (IEEE 1003.1, "ustar Interchange Format"): plain files only.
record TarHeader(String name, long size) {
    static final int BLOCK = 512;

    private static final int NAME = 0;
    private static final int NAME_LENGTH = 100;
    private static final int MODE = 100;
    private static final int OWNER = 108;
    private static final int GROUP = 116;
    private static final int SIZE = 124;
    private static final int MODIFIED = 136;
    private static final int CHECKSUM = 148;
    private static final int CHECKSUM_LENGTH = 8;
    private static final int TYPE = 156;
    private static final int MAGIC = 257;
    private static final int PREFIX = 345;
    private static final int PREFIX_LENGTH = 155;
    private static final long LARGEST = 077777777777L;

    TarHeader {
        if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > NAME_LENGTH + PREFIX_LENGTH + 1) {
            throw new IllegalArgumentException("a ustar archive cannot hold the name '" + name + "'");
        }
        if (size < 0 || size > LARGEST) {
            throw new IllegalArgumentException("a ustar archive cannot hold a file of " + size + " bytes");
        }
    }

    /// How many zero bytes follow the file, so that the next header begins at a block.
    int padding() {
        return (int) (-size & (BLOCK - 1));
    }

    /// Owner, group and time are left at zero: the same content is always the same archive.
    byte[] encode() {
        var block = new byte[BLOCK];
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > NAME_LENGTH) {
            throw new IllegalArgumentException("not written here: a name over 100 bytes, '" + name + "'");
        }
        System.arraycopy(bytes, 0, block, NAME, bytes.length);
        octal(block, MODE, 8, 0644);
        octal(block, OWNER, 8, 0);
        octal(block, GROUP, 8, 0);
        octal(block, SIZE, 12, size);
        octal(block, MODIFIED, 12, 0);
        block[TYPE] = '0';
        ascii(block, MAGIC, "ustar\00000");
        octal(block, CHECKSUM, 7, checksum(block));
        block[CHECKSUM + 7] = ' ';
        return block;
    }

    static TarHeader decode(byte[] block) throws IOException {
        if (number(block, CHECKSUM, CHECKSUM_LENGTH) != checksum(block)) {
            throw new IOException("damaged archive: a header's checksum is wrong");
        }
        if (block[TYPE] != '0' && block[TYPE] != 0) {
            throw new IOException("an entry of type '" + (char) block[TYPE] + "' where only plain files are expected");
        }
        String name = text(block, NAME, NAME_LENGTH);
        String prefix = text(block, PREFIX, PREFIX_LENGTH);
        return new TarHeader(prefix.isEmpty() ? name : prefix + "/" + name, number(block, SIZE, 12));
    }

    /// The sum of all bytes, with the checksum's own field read as spaces.
    private static int checksum(byte[] block) {
        int sum = CHECKSUM_LENGTH * ' ';
        for (int i = 0; i < BLOCK; i++) {
            if (i < CHECKSUM || i >= CHECKSUM + CHECKSUM_LENGTH) {
                sum += block[i] & 0xff;
            }
        }
        return sum;
    }

    private static void octal(byte[] block, int at, int length, long value) {
        String digits = Long.toOctalString(value);
        ascii(block, at, "0".repeat(length - 1 - digits.length()) + digits);
    }

    private static void ascii(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }

    private static long number(byte[] block, int at, int length) throws IOException {
        String digits = text(block, at, length).strip();
        try {
            return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new IOException("damaged archive: '" + digits + "' is not an octal number", e);
        }
    }

    private static String text(byte[] block, int at, int length) {
        int end = at;
        while (end < at + length && block[end] != 0) {
            end++;
        }
        return new String(Arrays.copyOfRange(block, at, end), StandardCharsets.UTF_8);
    }
}
