package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.Optional;

/// An object as a drive's index has it.
///
/// @param version empty when the drive's copy is no good
record Entry(ObjectKey name, Optional<ObjectVersion> version, long size) {
    static Entry of(byte[] key, byte[] value) throws IOException {
        return of(new ObjectKey(IndexKeys.number(key), IndexKeys.keyOf(key)), value);
    }

    static Entry of(ObjectKey name, byte[] value) throws IOException {
        try {
            var entry = ObjectEntry.decode(value);
            return new Entry(name, entry.damaged() ? Optional.empty() : Optional.of(entry.version()), entry.size());
        } catch (DamagedRecordException _) {
            return new Entry(name, Optional.empty(), 0); // whoever brings it says so
        }
    }
}
