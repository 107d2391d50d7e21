package dev.sluice.targetnode.replica;

import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Objects whose bytes are on this target for a change that its core has not ordered yet, by drive and version.
final class Staging {
    /// Bytes that wait.
    interface Bytes {
        /// The change that stores them; the drive's from here on. On the drive's threads.
        Prepared prepared() throws IOException;

        /// They are not wanted.
        void drop();

        /// The drive did not take the change: nothing remains of them.
        void undo();
    }

    private record Name(String drive, ObjectVersion version) {}

    private final Map<Name, Bytes> waiting = new ConcurrentHashMap<>();
    private final Map<Name, Boolean> coming = new ConcurrentHashMap<>();

    void put(String drive, ObjectVersion version, Bytes bytes) {
        var before = waiting.put(new Name(drive, version), bytes);
        if (before != null) {
            before.drop();
        }
    }

    Optional<Bytes> take(String drive, ObjectVersion version) {
        return Optional.ofNullable(waiting.remove(new Name(drive, version)));
    }

    boolean has(String drive, ObjectVersion version) {
        return waiting.containsKey(new Name(drive, version));
    }

    /// Whether nobody else is bringing these bytes; to be ended by [#came].
    boolean coming(String drive, ObjectVersion version) {
        return coming.putIfAbsent(new Name(drive, version), true) == null;
    }

    void came(String drive, ObjectVersion version) {
        coming.remove(new Name(drive, version));
    }

    void drop(String drive, ObjectVersion version) {
        take(drive, version).ifPresent(Bytes::drop);
    }
}
