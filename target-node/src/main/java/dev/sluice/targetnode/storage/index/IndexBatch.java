package dev.sluice.targetnode.storage.index;

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

    public List<Change> changes() {
        return changes;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }
}
