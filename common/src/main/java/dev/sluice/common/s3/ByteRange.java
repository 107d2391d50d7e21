package dev.sluice.common.s3;

import dev.sluice.common.store.StoreException;

/// One range of a Range header, before the object's size is known.
public sealed interface ByteRange {
    /// `bytes=from-to` or, with `to == Long.MAX_VALUE`, `bytes=from-`.
    record FromTo(long from, long to) implements ByteRange {}

    /// `bytes=-count`: the last bytes.
    record Last(long count) implements ByteRange {}

    /// A range of an object of a known size: `length` bytes from `offset`, never empty.
    record Resolved(long offset, long length) {}

    /// @throws StoreException.RangeNotSatisfiable when no byte of an object of this size lies in the range
    default Resolved resolve(long size) {
        long offset = switch (this) {
            case FromTo(var from, var _) -> from;
            case Last(var count) -> Math.max(0, size - count);
        };
        long end = switch (this) {
            case FromTo(var _, var to) -> Math.min(size - 1, to);
            case Last(var count) -> count == 0 ? -1 : size - 1;
        };
        if (offset >= size || end < offset) {
            throw new StoreException.RangeNotSatisfiable(size);
        }
        return new Resolved(offset, end - offset + 1);
    }
}
