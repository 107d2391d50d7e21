package dev.sluice.targetnode.replica.loop;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// What an operator counts of the replicas of a target. On any thread.
public final class ReplicaCounts {
    private final Supplier<Collection<DriveReplicas>> loops;
    private final LongSupplier lost;
    private final LongSupplier standstills;
    private final LongSupplier restored;
    private final LongSupplier purged;
    private final LongSupplier copiedBytes;
    private final LongSupplier stuckRows;
    private final AtomicLong earlyBefore = new AtomicLong(); // of loops that have ended

    public ReplicaCounts(
            Supplier<Collection<DriveReplicas>> loops,
            LongSupplier lost,
            LongSupplier standstills,
            LongSupplier restored,
            LongSupplier purged,
            LongSupplier copiedBytes,
            LongSupplier stuckRows) {
        this.loops = loops;
        this.lost = lost;
        this.standstills = standstills;
        this.restored = restored;
        this.purged = purged;
        this.copiedBytes = copiedBytes;
        this.stuckRows = stuckRows;
    }

    public void ended(DriveReplicas loop) {
        earlyBefore.addAndGet(loop.earlyMessages());
    }

    private long sum(ToLongFunction<DriveReplicas> count) {
        return loops.get().stream().mapToLong(count).sum();
    }

    /// Messages that were not delivered.
    public long lostMessages() {
        return lost.getAsLong();
    }

    /// Messages that waited for a newer epoch.
    public long earlyMessages() {
        return earlyBefore.get() + sum(DriveReplicas::earlyMessages);
    }

    /// Slots that are being copied to drives of this target.
    public long copying() {
        return sum(DriveReplicas::copying);
    }

    /// Slots that wait for their turn to be copied.
    public long waitingToCopy() {
        return sum(DriveReplicas::waitingToCopy);
    }

    /// Bytes of objects that learners pulled.
    public long copiedBytes() {
        return copiedBytes.getAsLong();
    }

    /// Objects that learners pull again and again, and that do not come.
    public long stuckRows() {
        return stuckRows.getAsLong();
    }

    /// Steps that wait for the loops of drives; those that copy are counted apart.
    public long waitingSteps() {
        return sum(DriveReplicas::waitingSteps);
    }

    public long waitingCopyingSteps() {
        return sum(DriveReplicas::waitingCopyingSteps);
    }

    /// How often the loop of a drive was ended because it stood still.
    public long standstills() {
        return standstills.getAsLong();
    }

    /// Damaged objects that were restored from other replicas.
    public long restored() {
        return restored.getAsLong();
    }

    /// Objects of slots that drives of this target have left.
    public long purged() {
        return purged.getAsLong();
    }
}
