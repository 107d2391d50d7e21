package dev.sluice.targetnode.storage.index;

import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Changes of the index that happen together or not at all, in this order.
public final class IndexBatch {
    /// What a change does.
    public enum Kind {
        PUT(1),
        DELETE(2),
        /// Deletes from a key up to, and without, another.
        DELETE_RANGE(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    /// One change.
    public static final class Change {
        private final Kind kind;
        private final Table table;
        private final byte[] key;
        private final byte[] operand;

        private Change(Kind kind, Table table, byte[] key, byte[] operand) {
            this.kind = kind;
            this.table = table;
            this.key = key;
            this.operand = operand;
        }

        public Kind kind() {
            return kind;
        }

        public Table table() {
            return table;
        }

        public byte[] key() {
            return key;
        }

        /// The value of a put, the end of a range.
        public byte[] operand() {
            return operand;
        }
    }

    private static final byte[] NONE = {};

    private final List<Change> changes = new ArrayList<>();

    public IndexBatch put(Table table, byte[] key, byte[] value) {
        changes.add(new Change(Kind.PUT, table, key, value));
        return this;
    }

    public IndexBatch delete(Table table, byte[] key) {
        changes.add(new Change(Kind.DELETE, table, key, NONE));
        return this;
    }

    public IndexBatch deleteRange(Table table, byte[] from, byte[] to) {
        changes.add(new Change(Kind.DELETE_RANGE, table, from, to));
        return this;
    }

    public IndexBatch deleteAll(Table table) {
        return deleteRange(table, new byte[0], new byte[] {-1, -1, -1, -1}); // greater than each key of a table
    }

    public IndexBatch addAll(IndexBatch other) {
        changes.addAll(other.changes);
        return this;
    }

    /// For a record that carries changes to be made later.
    public void writeTo(PackedWriter out) {
        out.number(changes.size());
        for (var change : changes) {
            out.number(change.kind.code)
                    .number(change.table.code())
                    .bytes(change.key)
                    .bytes(change.operand);
        }
    }

    public static IndexBatch readFrom(PackedReader in) throws IOException {
        var batch = new IndexBatch();
        for (long left = in.number(); left > 0; left--) {
            var kind = kind(in.number());
            var table = Table.ofCode(in.number())
                    .orElseThrow(() -> new DamagedRecordException("a change of an unknown table"));
            batch.changes.add(new Change(kind, table, in.bytes(), in.bytes()));
        }
        return batch;
    }

    private static Kind kind(long code) throws DamagedRecordException {
        for (var kind : Kind.values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new DamagedRecordException("a change of an unknown kind");
    }

    public List<Change> changes() {
        return changes;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }
}
