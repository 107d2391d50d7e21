package dev.sluice.targetnode.replica.slices;

import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.io.InputStream;

/// The bytes of a slice, from where they are read. They are not verified.
///
/// @param position [Slice#NONE] when there are none
record OpenSlice(int position, InputStream body) implements AutoCloseable {
    static final OpenSlice NONE = new OpenSlice(Slice.NONE, InputStream.nullInputStream());

    @Override
    public void close() throws IOException {
        body.close();
    }
}
