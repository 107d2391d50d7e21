package dev.sluice.targetnode.storage.index;

import java.io.IOException;
import java.util.Optional;

/// A drive's ordered map; tests put faults here. To be called on a drive thread only.
public interface DriveIndex extends AutoCloseable {
    /// Sees entries in order, and says whether it wants more.
    interface Visitor {
        boolean visit(byte[] key, byte[] value) throws IOException;
    }

    /// @param sync whether this batch, and all before it, must be on the drive when this returns
    void write(IndexBatch batch, boolean sync) throws IOException;

    Optional<byte[]> get(Table table, byte[] key) throws IOException;

    /// Entries from a key (inclusive) on, as of now.
    void scan(Table table, byte[] from, Visitor visitor) throws IOException;

    /// Entries whose keys begin so, as of now.
    default void each(Table table, byte[] prefix, Visitor visitor) throws IOException {
        scan(table, prefix, (key, value) -> IndexKeys.startsWith(key, prefix) && visitor.visit(key, value));
    }

    /// Whether there is any such entry.
    default boolean has(Table table, byte[] prefix) throws IOException {
        var found = new boolean[1];
        each(table, prefix, (_, _) -> {
            found[0] = true;
            return false;
        });
        return found[0];
    }

    @Override
    void close();
}
