package dev.sluice.targetnode.storage.space;

/// Takes room for a write while its bytes come, a step ahead of them: a little at the beginning, then at most
/// [#STEP] at a time. So a sender holds no more than a step of what it only announced, and makes nobody else's copies
/// go for it.
/// Safe for several threads, which wait for each other; for virtual threads.
public final class RoomSteps {
    public static final long STEP = 64L << 20;

    /// What is taken before the first byte: all of a small object.
    public static final long FIRST = 1 << 20;

    /// Takes room.
    public interface Taking {
        /// @param from how much of the write has its room
        /// @param to how much is to have it
        /// @throws dev.sluice.common.store.StoreException when there is not so much
        void take(long from, long to);
    }

    private final long expected;
    private final Taking taking;
    private long came;
    private long taken;

    /// Takes the first step.
    ///
    /// @param expected length of the write, -1 when it is not known
    public RoomSteps(long expected, Taking taking) {
        this.expected = expected;
        this.taking = taking;
        take(Math.clamp(expected, 0, FIRST));
    }

    /// To be called before these bytes are written.
    ///
    /// @throws dev.sluice.common.store.StoreException when there is no room for the next step
    public synchronized void come(long bytes) {
        came += bytes;
        if (came > taken) {
            long ahead = expected < 0 ? came : Math.min(expected, taken + STEP);
            take(Math.max(came, ahead));
        }
    }

    private void take(long upTo) {
        taking.take(taken, upTo);
        taken = upTo;
    }
}
