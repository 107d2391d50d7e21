package dev.sluice.targetnode.storage.slots;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// The bytes of an object while they come, one after the other, for other replicas that take them at the same time.
public interface Arriving {
    /// What the replica of a position is to have: all, where each has whole objects. Empty where it has nothing.
    default Optional<Arriving> at(int position) {
        return Optional.of(this);
    }

    /// Of all of them.
    long size();

    /// Waits until there is a byte at this position.
    ///
    /// @return how many there are, more than `position`
    /// @throws dev.sluice.common.http.CutShortException when no more come
    long awaitBeyond(long position) throws IOException;

    /// Keeps them readable until [#release].
    ///
    /// @return false when it is too late for that
    boolean retain();

    void release();

    /// Another replica took some.
    ///
    /// @param now of [System#nanoTime]
    void taken(long now);

    /// Reads bytes that are there. They are not verified.
    void readAt(long offset, ByteBuffer into);
}
