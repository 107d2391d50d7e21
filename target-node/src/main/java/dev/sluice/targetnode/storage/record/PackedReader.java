package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/// Reads what [PackedWriter] wrote. The checksum is compared before anything is believed.
public final class PackedReader {
    private final String what;
    private final ByteBuffer in;
    private final int format;

    /// @param what named in messages
    public PackedReader(String what, byte[] sealed, int newestKnown)
            throws DamagedRecordException, UnknownFormatException {
        this.what = what;
        if (sealed.length < 5) {
            throw new DamagedRecordException(what + " is cut off");
        }
        var crc = new CRC32C();
        crc.update(sealed, 0, sealed.length - 4);
        if ((int) crc.getValue() != ByteBuffer.wrap(sealed).getInt(sealed.length - 4)) {
            throw new DamagedRecordException(what + " does not match its checksum");
        }
        this.in = ByteBuffer.wrap(sealed, 0, sealed.length - 4);
        this.format = in.get();
        if (format < 1 || format > newestKnown) {
            throw new UnknownFormatException(what, format, newestKnown);
        }
    }

    public int format() {
        return format;
    }

    public long number() throws DamagedRecordException {
        try {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                byte next = in.get();
                value |= (next & 0x7FL) << shift;
                if (next >= 0) {
                    return value;
                }
            }
        } catch (BufferUnderflowException _) {
            throw endsTooEarly();
        }
        throw new DamagedRecordException(what + " holds a number of more than 64 bits");
    }

    public long difference() throws DamagedRecordException {
        long value = number();
        return value >>> 1 ^ -(value & 1);
    }

    public boolean flag() throws DamagedRecordException {
        return number() != 0;
    }

    public byte[] bytes() throws DamagedRecordException {
        return raw(length(1));
    }

    public byte[] raw(int length) throws DamagedRecordException {
        if (length < 0 || length > in.remaining()) {
            throw endsTooEarly();
        }
        var value = new byte[length];
        in.get(value);
        return value;
    }

    public String text() throws DamagedRecordException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    public Optional<String> optionalText() throws DamagedRecordException {
        return flag() ? Optional.of(text()) : Optional.empty();
    }

    public SortedMap<String, String> texts() throws DamagedRecordException {
        var map = new TreeMap<String, String>();
        for (long left = number(); left > 0; left--) {
            map.put(text(), text());
        }
        return Collections.unmodifiableSortedMap(map);
    }

    public Map<ChecksumAlgorithm, String> checksums() throws DamagedRecordException {
        var checksums = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        for (var named : texts().entrySet()) {
            var algorithm = ChecksumAlgorithm.ofName(named.getKey())
                    .orElseThrow(() -> new DamagedRecordException(what + " names the checksum " + named.getKey()));
            checksums.put(algorithm, named.getValue());
        }
        return Collections.unmodifiableMap(checksums);
    }

    public long[] numbers() throws DamagedRecordException {
        var values = new long[length(1)];
        for (int i = 0; i < values.length; i++) {
            values[i] = number();
        }
        return values;
    }

    public BlockSums sums() throws DamagedRecordException {
        return BlockSums.ofBytes(raw(4 * length(4)));
    }

    public ObjectVersion version() throws DamagedRecordException {
        return new ObjectVersion(number(), number());
    }

    private int length(int each) throws DamagedRecordException {
        long count = number();
        if (count < 0 || count > in.remaining() / each) {
            throw endsTooEarly();
        }
        return (int) count;
    }

    private DamagedRecordException endsTooEarly() {
        return new DamagedRecordException(what + " ends too early");
    }
}
