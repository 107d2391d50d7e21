package dev.sluice.targetnode.storage.space;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// When the cloud last said that it has the same object as a drive, where that was after it was stored. Goes to the
/// index later ([LateRows]): a crash may cost one more question to the cloud, nothing else.
public final class Agreements {
    private static final int VERSION_BYTES = 16;

    private final DriveIndex index;
    private final LateRows<Agreed> pending = new LateRows<>(Table.AGREED, Agreed::encode);

    public Agreements(DriveIndex index) {
        this.index = index;
    }

    /// @param millis when the cloud was asked, since 1970
    private record Agreed(ObjectVersion version, long millis) {
        byte[] encode() {
            return ByteBuffer.allocate(VERSION_BYTES + 8)
                    .put(IndexKeys.version(version))
                    .putLong(millis)
                    .array();
        }

        static Agreed decode(byte[] row) {
            return new Agreed(IndexKeys.version(row), ByteBuffer.wrap(row).getLong(VERSION_BYTES));
        }
    }

    /// @return false when too many wait for [#flush]: it is not taken
    public boolean agreed(ObjectKey key, ObjectVersion version, long millis) {
        return pending.put(key, new Agreed(version, millis));
    }

    /// In milliseconds since 1970. On a drive thread.
    public Optional<Long> find(ObjectKey key, ObjectVersion version) throws IOException {
        var found = pending.waiting(key);
        if (found.isEmpty()) {
            found = index.get(Table.AGREED, IndexKeys.object(key.bucketId(), key.key()))
                    .map(Agreed::decode);
        }
        return found.filter(agreed -> agreed.version().equals(version)).map(Agreed::millis);
    }

    /// Without those of objects that are gone or replaced: nothing would ever delete their rows. On a drive thread.
    public void flush() throws IOException {
        pending.flush(index, (key, agreed) -> {
            var row = index.get(Table.OBJECTS, IndexKeys.object(key.bucketId(), key.key()));
            return row.isPresent() && ObjectEntry.decode(row.get()).version().equals(agreed.version());
        });
    }
}
