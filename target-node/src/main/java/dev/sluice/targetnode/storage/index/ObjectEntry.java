package dev.sluice.targetnode.storage.index;

import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.RecordFormat;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.util.Optional;

/// What the index holds of an object: enough for a listing without touching a file, and where the file lies.
///
/// @param escaped whether the file is not at its key's own path
/// @param details whether some of the record is in a file of its own
/// @param damaged whether the file was found without a readable record when the index was rebuilt, or a scrub found
/// its bytes wrong
/// @param unsynced whether its file was written without a sync, so that a loss of power may take it; not set where
/// that is unknown
/// @param slice what of the object is here; empty: all of it
public record ObjectEntry(
        ObjectVersion version,
        long size,
        long modifiedMillis,
        String etag,
        boolean escaped,
        boolean details,
        boolean damaged,
        boolean unsynced,
        Optional<SliceBytes> slice) {
    private static final int FORMAT = 1;
    private static final int ESCAPED = 1;
    private static final int DETAILS = 2;
    private static final int DAMAGED = 4;
    private static final int UNSYNCED = 8;
    private static final int SLICE = 16;

    /// A slice of an object.
    ///
    /// @param position [Slice#NONE] where the record is here only
    /// @param bytes how many the slice has
    public record SliceBytes(int position, long bytes) {}

    public ObjectEntry(
            ObjectVersion version,
            long size,
            long modifiedMillis,
            String etag,
            boolean escaped,
            boolean details,
            boolean damaged) {
        this(version, size, modifiedMillis, etag, escaped, details, damaged, false, Optional.empty());
    }

    public static ObjectEntry of(ObjectRecord record, boolean details) {
        return new ObjectEntry(
                record.version(),
                record.size(),
                record.modifiedMillis(),
                record.etag(),
                false,
                details,
                false,
                false,
                record.slice().map(slice -> new SliceBytes(slice.position(), record.fileSize())));
    }

    public static ObjectEntry of(RecordFormat.Head head, boolean escaped) {
        return new ObjectEntry(
                head.version(),
                head.size(),
                head.modifiedMillis(),
                head.etag(),
                escaped,
                head.isApart(),
                false,
                false,
                head.slice().map(slice -> new SliceBytes(slice.position(), head.fileSize())));
    }

    public static ObjectEntry damaged(boolean escaped) {
        return new ObjectEntry(new ObjectVersion(0, 0), 0, 0, "", escaped, false, true);
    }

    /// Likewise where slices lie.
    public ObjectEntry ofSlice() {
        return new ObjectEntry(
                version,
                size,
                modifiedMillis,
                etag,
                escaped,
                details,
                damaged,
                unsynced,
                Optional.of(new SliceBytes(Slice.NONE, 0)));
    }

    public ObjectEntry at(boolean isEscaped) {
        return new ObjectEntry(version, size, modifiedMillis, etag, isEscaped, details, damaged, unsynced, slice);
    }

    /// The same object, known to be damaged or known to be whole.
    public ObjectEntry marked(boolean asDamaged) {
        return new ObjectEntry(version, size, modifiedMillis, etag, escaped, details, asDamaged, unsynced, slice);
    }

    /// The same object, written with a sync or without.
    public ObjectEntry unsynced(boolean asUnsynced) {
        return new ObjectEntry(version, size, modifiedMillis, etag, escaped, details, damaged, asUnsynced, slice);
    }

    /// How many bytes of it are here.
    public long bytes() {
        return slice.map(SliceBytes::bytes).orElse(size);
    }

    /// What of the object is here.
    public Slice held() {
        return new Slice(version, slice.map(SliceBytes::position).orElse(0));
    }

    /// Whether a loss of power leaves what it names, as far as is known.
    public boolean lasts() {
        return !unsynced && !damaged;
    }

    public byte[] encode() {
        var out = new PackedWriter(FORMAT)
                .number((escaped ? ESCAPED : 0)
                        | (details ? DETAILS : 0)
                        | (damaged ? DAMAGED : 0)
                        | (unsynced ? UNSYNCED : 0)
                        | (slice.isPresent() ? SLICE : 0))
                .version(version)
                .number(size)
                .number(modifiedMillis)
                .text(etag);
        slice.ifPresent(here -> out.number(here.position - Slice.NONE).number(here.bytes));
        return out.sealed();
    }

    public static ObjectEntry decode(byte[] value) throws IOException {
        var in = new PackedReader("an index entry", value, FORMAT);
        long flags = in.number();
        return new ObjectEntry(
                in.version(),
                in.number(),
                in.number(),
                in.text(),
                (flags & ESCAPED) != 0,
                (flags & DETAILS) != 0,
                (flags & DAMAGED) != 0,
                (flags & UNSYNCED) != 0,
                (flags & SLICE) == 0
                        ? Optional.empty()
                        : Optional.of(new SliceBytes((int) in.number() + Slice.NONE, in.number())));
    }
}
