package dev.sluice.targetnode.quota;

import dev.sluice.targetnode.storage.space.RoomSteps;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/// Room in a bucket for a write whose bytes are yet to come, held for as many of them as have come and a step more.
public final class IncomingRoom implements AutoCloseable {
    private final QuotaReservation room;
    private final LongUnaryOperator growth;
    private final RoomSteps steps;

    /// @param growth of the bucket by a write of a size
    /// @throws dev.sluice.common.store.StoreException.QuotaExceeded when not all of it would fit now
    IncomingRoom(QuotaReservation room, long length, LongUnaryOperator growth) {
        this.room = room;
        this.growth = growth;
        if (length > RoomSteps.FIRST) {
            room.requireFits(() -> growth.applyAsLong(length));
        }
        this.steps = new RoomSteps(length, (_, size) -> atLeast(size));
    }

    /// To be called before these bytes are written.
    ///
    /// @throws dev.sluice.common.store.StoreException.QuotaExceeded when others were faster
    public void come(long bytes) {
        steps.come(bytes);
    }

    /// Takes more where a write of this size needs more by now: what it replaces may be gone.
    ///
    /// @throws dev.sluice.common.store.StoreException.QuotaExceeded when the bucket has not so much left
    public void atLeast(long size) {
        room.atLeast(() -> growth.applyAsLong(size));
    }

    /// Commits it. See [QuotaReservation#storing].
    public <T> T storing(long size, Supplier<T> commit) {
        return room.storing(size, commit);
    }

    @Override
    public void close() {
        room.close();
    }
}
