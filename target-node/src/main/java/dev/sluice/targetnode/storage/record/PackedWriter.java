package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/// Writes the compact binary form of everything Sluice keeps beside the data: format version first, checksum last.
/// Numbers are varints (seven bits a byte, lowest first), strings are their length and UTF-8.
public final class PackedWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

    public PackedWriter(int formatVersion) {
        out.write(formatVersion);
    }

    public PackedWriter number(long value) {
        long left = value;
        while ((left & ~0x7FL) != 0) {
            out.write((int) (left & 0x7F) | 0x80);
            left >>>= 7;
        }
        out.write((int) left);
        return this;
    }

    public PackedWriter flag(boolean value) {
        return number(value ? 1 : 0);
    }

    public PackedWriter bytes(byte[] value) {
        number(value.length);
        out.writeBytes(value);
        return this;
    }

    /// Bytes whose number the reader knows.
    public PackedWriter raw(byte[] value) {
        out.writeBytes(value);
        return this;
    }

    public PackedWriter text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    public PackedWriter text(Optional<String> value) {
        flag(value.isPresent());
        value.ifPresent(this::text);
        return this;
    }

    public PackedWriter texts(SortedMap<String, String> map) {
        number(map.size());
        map.forEach((name, value) -> text(name).text(value));
        return this;
    }

    public PackedWriter checksums(Map<ChecksumAlgorithm, String> checksums) {
        var named = new TreeMap<String, String>();
        checksums.forEach((algorithm, value) -> named.put(algorithm.name(), value));
        return texts(named);
    }

    public PackedWriter numbers(long[] values) {
        number(values.length);
        for (long value : values) {
            number(value);
        }
        return this;
    }

    public PackedWriter sums(BlockSums sums) {
        number(sums.count());
        out.writeBytes(sums.toBytes());
        return this;
    }

    /// A number that may be below 0, and is as short as its opposite.
    public PackedWriter difference(long value) {
        return number(value << 1 ^ value >> 63);
    }

    public PackedWriter version(ObjectVersion version) {
        return number(version.epoch()).number(version.sequence());
    }

    /// Everything written, and its CRC32C in four bytes.
    public byte[] sealed() {
        var crc = new CRC32C();
        var body = out.toByteArray();
        crc.update(body);
        return ByteBuffer.allocate(body.length + 4)
                .put(body)
                .putInt((int) crc.getValue())
                .array();
    }
}
