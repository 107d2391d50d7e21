package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;

/// How many objects a drive has, and their bytes. Kept in the index, changed in the same batch as they are.
public record Totals(long objects, long bytes) {
    public static final Totals NONE = new Totals(0, 0);
    private static final int FORMAT = 1;

    Totals plus(long size) {
        return new Totals(objects + 1, bytes + size);
    }

    Totals minus(long size) {
        return new Totals(objects - 1, bytes - size);
    }

    byte[] encode() {
        return new PackedWriter(FORMAT).number(objects).number(bytes).sealed();
    }

    static Totals decode(byte[] value) throws IOException {
        var in = new PackedReader("the totals of a drive", value, FORMAT);
        return new Totals(in.number(), in.number());
    }
}
