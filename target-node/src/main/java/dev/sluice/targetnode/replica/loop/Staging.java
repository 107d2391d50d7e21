package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Objects whose bytes are on this target for a change that a core has not ordered yet, by the loop of its drive and by
/// slice. They end with the loop: the next loop of the drive begins with nothing, and brings them itself.
public final class Staging {
    /// Bytes that wait.
    public interface Bytes {
        /// The change that stores them; the drive's from here on. On the drive's threads.
        public Prepared prepared() throws IOException;

        /// They are not wanted. Never blocks.
        public void drop();

        /// The drive did not take the change: nothing remains of them.
        void undo();
    }

    private record Name(DriveReplicas loop, Slice slice) {}

    private final Map<Name, Bytes> waiting = new ConcurrentHashMap<>();
    private final Map<Name, Optional<Envelope>> coming = new ConcurrentHashMap<>();

    public void put(DriveReplicas loop, Slice slice, Bytes bytes) {
        var before = waiting.put(new Name(loop, slice), bytes);
        if (before != null) {
            before.drop();
        }
        if (loop.isOver()) { // perhaps only after #ended looked
            drop(loop, slice, bytes);
        }
    }

    /// In the place of bytes that there is no room for: the drive refuses the change that would store them.
    public Bytes refusing(DriveReplicas loop, Slice slice, StoreException.NoSpace why) {
        Bytes none = new Bytes() {
            @Override
            public Prepared prepared() {
                throw why;
            }

            @Override
            public void drop() {}

            @Override
            public void undo() {}
        };
        put(loop, slice, none);
        return none;
    }

    public Optional<Bytes> find(DriveReplicas loop, Slice slice) {
        return Optional.ofNullable(waiting.get(new Name(loop, slice)));
    }

    public Optional<Bytes> take(DriveReplicas loop, Slice slice) {
        return Optional.ofNullable(waiting.remove(new Name(loop, slice)));
    }

    /// Whether nobody else is bringing these bytes; to be ended by [#came].
    public boolean coming(DriveReplicas loop, Slice slice) {
        var name = new Name(loop, slice);
        boolean first = coming.putIfAbsent(name, Optional.empty()) == null;
        if (first && loop.isOver()) {
            coming.remove(name);
            return false;
        }
        return first;
    }

    /// The write was sent again while its bytes come.
    ///
    /// @return false when nobody brings them
    public boolean isSentAgain(DriveReplicas loop, Slice slice, Envelope again) {
        return coming.computeIfPresent(new Name(loop, slice), (_, _) -> Optional.of(again)) != null;
    }

    /// The newest message of a write that was sent again while its bytes came.
    public Optional<Envelope> sentAgain(DriveReplicas loop, Slice slice) {
        return coming.getOrDefault(new Name(loop, slice), Optional.empty());
    }

    public void came(DriveReplicas loop, Slice slice) {
        coming.remove(new Name(loop, slice));
    }

    /// These bytes are not wanted, if they still wait; others of the same slice may be.
    public void drop(DriveReplicas loop, Slice slice, Bytes bytes) {
        if (waiting.remove(new Name(loop, slice), bytes)) {
            bytes.drop();
        }
    }

    /// The loop is over: its cores order nothing more.
    public void ended(DriveReplicas loop) {
        coming.keySet().removeIf(name -> name.loop.equals(loop));
        waiting.forEach((name, bytes) -> {
            if (name.loop.equals(loop)) {
                drop(loop, name.slice, bytes);
            }
        });
    }
}
