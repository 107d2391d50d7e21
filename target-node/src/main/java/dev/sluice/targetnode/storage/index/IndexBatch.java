package dev.sluice.targetnode.storage.index;

import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Changes of the index that happen together or not at all, in this order.
public final class IndexBatch {
    /// One change.
    public sealed interface Change {}

    public record Put(Table table, byte[] key, byte[] value) implements Change {}

    public record Delete(Table table, byte[] key) implements Change {}

    /// Deletes from a key up to, and without, another.
    public record DeleteRange(Table table, byte[] from, byte[] to) implements Change {}

    private static final int PUT = 1;
    private static final int DELETE = 2;
    private static final int DELETE_RANGE = 3;

    private final List<Change> changes = new ArrayList<>();

    public IndexBatch put(Table table, byte[] key, byte[] value) {
        changes.add(new Put(table, key, value));
        return this;
    }

    public IndexBatch delete(Table table, byte[] key) {
        changes.add(new Delete(table, key));
        return this;
    }

    public IndexBatch deleteRange(Table table, byte[] from, byte[] to) {
        changes.add(new DeleteRange(table, from, to));
        return this;
    }

    public IndexBatch addAll(IndexBatch other) {
        changes.addAll(other.changes);
        return this;
    }

    /// For a record that carries changes to be made later.
    public void writeTo(PackedWriter out) {
        out.number(changes.size());
        for (var change : changes) {
            switch (change) {
                case Put(var table, var key, var value) ->
                    out.number(PUT).number(table.ordinal()).bytes(key).bytes(value);
                case Delete(var table, var key) ->
                    out.number(DELETE).number(table.ordinal()).bytes(key);
                case DeleteRange(var table, var from, var to) ->
                    out.number(DELETE_RANGE).number(table.ordinal()).bytes(from).bytes(to);
            }
        }
    }

    public static IndexBatch readFrom(PackedReader in) throws IOException {
        var batch = new IndexBatch();
        for (long left = in.number(); left > 0; left--) {
            int kind = (int) in.number();
            var table = Table.values()[(int) in.number()];
            switch (kind) {
                case PUT -> batch.put(table, in.bytes(), in.bytes());
                case DELETE -> batch.delete(table, in.bytes());
                case DELETE_RANGE -> batch.deleteRange(table, in.bytes(), in.bytes());
                default -> throw new DamagedRecordException("an index change of kind " + kind);
            }
        }
        return batch;
    }

    public List<Change> changes() {
        return changes;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }
}
