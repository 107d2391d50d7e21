package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.Command.RegisteredDrive;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.health.DriveSlot;

/// What is done with a drive before it is announced, and after.
public final class DriveArrivals {
    /// Drops what a drive has of buckets that are gone.
    public interface Dropping {
        /// @return up to which removal of a bucket
        /// @throws StoreException.Unavailable when it cannot be done now
        long dropOn(String id, Drive drive);
    }

    private final ObjectStore store;
    private final Dropping dropping;

    public DriveArrivals(ObjectStore store, Dropping dropping) {
        this.store = store;
        this.dropping = dropping;
    }

    ObjectStore store() {
        return store;
    }

    /// What a process before this one prepared is on the drive, but perhaps not durably. It must be before a core
    /// counts on it. The kernel tells here of writes that it lost and that no process has heard of.
    RegisteredDrive prepared(DriveSlot slot, Drive drive) {
        if (drive.keptWrites().isThere() || !drive.openIntents().isEmpty()) {
            Await.whole(drive.startStep(() -> drive.store().syncFiles()));
        }
        boolean sound = drive.call(() -> drive.marks().isSound());
        boolean kept = drive.keptWrites().isThere();
        long dropped = dropping.dropOn(slot.id(), drive);
        return new RegisteredDrive(slot.id(), weight(slot), sound, !kept, dropped);
    }

    private double weight(DriveSlot slot) {
        return store.stats().stream()
                .filter(drive -> drive.id().equals(slot.id()))
                .findFirst()
                .orElseThrow(() -> new StoreException.Unavailable("drive " + slot.id() + " is just being changed"))
                .weight();
    }

    /// The log has it.
    static void markSound(Drive drive) {
        Await.whole(drive.startStep(() -> {
            drive.marks().markSound();
            drive.keptWrites().put();
        }));
    }
}
