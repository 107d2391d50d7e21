package dev.sluice.targetnode.storage;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Arrays;

/// What is done to files behind a store's back. Each has three variants, told apart by a number.
final class Harms {
    private static final String ATTRIBUTE = "sluice";

    private Harms() {}

    static void harm(FaultTable.Harm harm, Path file, Path other, int variant) throws IOException {
        switch (harm) {
            case FLIP, ZERO, CUT -> overwrite(file, spoiled(harm, Files.readAllBytes(file), variant));
            case SWAP -> swap(file, other);
            case DELETE -> Files.delete(file);
            case EIO -> {
                // a folder in its place: it is there, and every read of it fails
                Files.delete(file);
                Files.createDirectories(file.resolve("not-empty"));
            }
            case ENOSPC, SHORT -> throw new IllegalArgumentException(harm.name());
        }
    }

    static void harmRecord(FaultTable.Harm harm, Path file, Path other, int variant) throws IOException {
        switch (harm) {
            case FLIP, ZERO, CUT -> writeRecord(file, spoiled(harm, record(file), variant));
            case SWAP -> {
                var mine = record(file);
                writeRecord(file, record(other));
                writeRecord(other, mine);
            }
            case DELETE -> attributes(file).delete(ATTRIBUTE);
            case EIO, ENOSPC, SHORT -> throw new IllegalArgumentException(harm.name());
        }
    }

    static byte[] spoiled(FaultTable.Harm harm, byte[] bytes, int variant) {
        int length = bytes.length;
        var spoiled = bytes.clone();
        switch (harm) {
            case FLIP -> spoiled[new int[] {length / 2, 0, length - 1}[variant % 3]] ^= 0x10;
            case ZERO -> {
                int from = new int[] {0, 0, length / 2}[variant % 3];
                Arrays.fill(spoiled, from, variant % 3 == 1 ? Math.min(length, 4096) : length, (byte) 0);
            }
            case CUT -> spoiled = Arrays.copyOf(bytes, new int[] {length / 2, length - 1, 0}[variant % 3]);
            case SWAP, DELETE, EIO, ENOSPC, SHORT -> throw new IllegalArgumentException(harm.name());
        }
        return spoiled;
    }

    /// In place: the file stays the same one.
    private static void overwrite(Path file, byte[] bytes) throws IOException {
        try (var out = new RandomAccessFile(file.toFile(), "rw")) {
            out.write(bytes);
            out.setLength(bytes.length);
        }
    }

    static void swap(Path file, Path other) throws IOException {
        var aside = file.resolveSibling("aside");
        Files.move(file, aside);
        Files.move(other, file);
        Files.move(aside, other);
    }

    static UserDefinedFileAttributeView attributes(Path file) {
        return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    }

    static byte[] record(Path file) throws IOException {
        var value = ByteBuffer.allocate(attributes(file).size(ATTRIBUTE));
        attributes(file).read(ATTRIBUTE, value);
        return value.array();
    }

    private static void writeRecord(Path file, byte[] value) throws IOException {
        attributes(file).write(ATTRIBUTE, ByteBuffer.wrap(value));
    }
}
