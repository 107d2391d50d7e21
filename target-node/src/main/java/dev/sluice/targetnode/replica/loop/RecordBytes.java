package dev.sluice.targetnode.replica.loop;

import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.util.Optional;

/// An object's record between targets: as a drive stores it, attribute and details together.
public final class RecordBytes {
    private static final int FORMAT = 1;

    private RecordBytes() {}

    public static byte[] encode(ObjectRecord record) {
        var stored = RecordFormat.encode(record);
        var out = new PackedWriter(FORMAT)
                .bytes(stored.attribute())
                .flag(stored.details().isPresent());
        stored.details().ifPresent(out::bytes);
        return out.sealed();
    }

    public static ObjectRecord decode(byte[] bytes) throws IOException {
        var in = new PackedReader("a record from another replica", bytes, FORMAT);
        var attribute = in.bytes();
        var details = in.flag() ? Optional.of(in.bytes()) : Optional.<byte[]>empty();
        return RecordFormat.decode(
                attribute,
                RecordFormat.NO_KEY,
                _ -> details.orElseThrow(() -> new DamagedRecordException("a record came without its details")));
    }
}
