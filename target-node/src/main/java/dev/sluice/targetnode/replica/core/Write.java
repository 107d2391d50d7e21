package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.HashSet;
import java.util.Set;

/// A write at its primary, until all members know its fate.
final class Write {
    enum State {
        /// Until all members have it.
        PREPARING,
        /// A member refused it: until the abort is durable everywhere.
        ABORTING,
        /// Its fate is known here: until the others know it.
        COMMITTED,
        ABORTED
    }

    final long ticket;
    final ObjectKey key;
    final ObjectVersion version;
    final boolean delete;
    State state;

    /// The drives that have answered what this state asks.
    final Set<String> answered = new HashSet<>(4);

    Write(long ticket, ObjectKey key, ObjectVersion version, boolean delete, State state) {
        this.ticket = ticket;
        this.key = key;
        this.version = version;
        this.delete = delete;
        this.state = state;
    }

    boolean decided() {
        return state == State.COMMITTED || state == State.ABORTED;
    }

    void next(State following) {
        state = following;
        answered.clear();
    }
}
