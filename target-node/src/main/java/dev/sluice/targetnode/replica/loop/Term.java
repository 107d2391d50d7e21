package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Serving;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.BucketRef;

/// The right to answer for a slot in one term.
public final class Term {
    private final LocalReplica replica;
    private final Serving serving;

    Term(LocalReplica replica) {
        this.replica = replica;
        this.serving = replica.serving();
        require();
    }

    public LocalReplica replica() {
        return replica;
    }

    DriveReplicas loop() {
        return replica.loop();
    }

    public Drive drive() {
        return replica.loop().drive();
    }

    /// Since when the drive has been the primary with no other between.
    public long driveSince() {
        return serving.driveSince();
    }

    /// Never blocks.
    public boolean holds() {
        return replica.serves(serving);
    }

    /// @throws StoreException.Unavailable when fewer replicas are in-sync than a write to the bucket needs
    public void requireInSync(BucketRef bucket) {
        if (!replica.hasEnoughInSync(bucket)) {
            throw new StoreException.Unavailable(
                    bucket.code().isPresent()
                            ? "fewer slices are in-sync now than the %d that a write needs with the erasure code %s; try again"
                                    .formatted(bucket.minInSync(), bucket.code().get())
                            : "fewer replicas are in-sync now than the %d that the bucket asks for (min_in_sync)"
                                    .formatted(bucket.minInSync()));
        }
    }

    /// @throws StoreException.Unavailable when it does not hold
    public void require() {
        if (!holds()) {
            throw new StoreException.Unavailable(
                    "this target may not answer for this key now: its part in the cluster is changing");
        }
    }
}
