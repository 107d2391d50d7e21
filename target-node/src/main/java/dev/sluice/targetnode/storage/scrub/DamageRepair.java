package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/// What is done about a damaged object: it is copied again from another drive, or dropped where a cloud has it, but
/// not where it is a replica, which only its slot's primary may replace; else the file stays, and where readers might
/// not notice the damage at once, the entry is marked, so that they are refused.
final class DamageRepair {
    private static final long LOOK_AFTER_MILLIS = 100;

    private final Drive drive;
    private final KeyCommitter committer;
    private final Repair repair;
    private final ExecutorService repairs;
    private final Runnable requireWanted;

    /// @param repairs virtual threads
    /// @param requireWanted throws when nobody waits for the result any more
    DamageRepair(Drive drive, KeyCommitter committer, Repair repair, ExecutorService repairs, Runnable requireWanted) {
        this.drive = drive;
        this.committer = committer;
        this.repair = repair;
        this.repairs = repairs;
        this.requireWanted = requireWanted;
    }

    /// What was done, and why that.
    record Treated(ScrubFinding.Action action, String why) {}

    Treated of(BucketRef bucket, String key, ObjectCheckResult.Bad bad) {
        committer.lookAgain(bucket, key);
        var why = bad.why();
        try {
            var repaired = repaired(bucket, key, bad);
            if (repaired.isPresent()) {
                return new Treated(repaired.get(), bad.why());
            }
        } catch (StoreException notNow) {
            why += "; not repaired yet: " + notNow.getMessage();
            if (bucket.isLocal()) {
                return new Treated(ScrubFinding.Action.KEPT, why);
            }
        }
        boolean marked = bad.hidden()
                && bad.entry().isPresent()
                && (bad.entry().get().damaged() || mark(bucket, key, bad.entry().get(), true));
        return new Treated(marked ? ScrubFinding.Action.MARKED : ScrubFinding.Action.KEPT, why);
    }

    /// A cloud may take long to answer; a scrub that ends does not wait for it.
    private Optional<ScrubFinding.Action> repaired(BucketRef bucket, String key, ObjectCheckResult.Bad bad) {
        var asked = repairs.submit(() -> repair.repair(bucket, key, drive.id(), bad.version()));
        while (true) {
            try {
                return asked.get(LOOK_AFTER_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException _) {
                requireWanted.run();
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof StoreException known
                        ? known
                        : new StoreException.Unavailable(String.valueOf(failed.getCause()));
            } catch (InterruptedException _) {
                throw new Cancelled();
            }
        }
    }

    void unmark(BucketRef bucket, String key, ObjectEntry entry) {
        mark(bucket, key, entry, false);
    }

    /// @return whether the entry was still the one that was judged
    private boolean mark(BucketRef bucket, String key, ObjectEntry judged, boolean asDamaged) {
        return committer.change(bucket, key, () -> {
            var same = new AtomicBoolean();
            drive.alone(() -> same.set(drive.store().mark(bucket.id(), key, judged, asDamaged)));
            return new KeyCommitter.Ready<>(List.of(), List.of(), same.get());
        });
    }
}
