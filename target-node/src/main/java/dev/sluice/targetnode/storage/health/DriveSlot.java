package dev.sluice.targetnode.storage.health;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Totals;
import dev.sluice.targetnode.storage.drive.Usage;
import dev.sluice.targetnode.storage.drive.Usages;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/// The place of one drive: its state, and the drive itself while it is open. The drive may be another object after
/// each return, so nobody keeps it for longer than one piece of work.
public final class DriveSlot {
    private final Attachment attachment;
    private final LongAdder errors = new LongAdder();
    private final LongAdder probes = new LongAdder();
    private volatile Optional<String> latestError = Optional.empty();
    private volatile Totals totals = Totals.NONE;
    private volatile Usages usages = new Usages();
    private volatile DriveSnapshot now;

    DriveSlot(Attachment attachment, DriveState state, String reason) {
        this.attachment = attachment;
        this.now = new DriveSnapshot(id(), new DriveStatus(state, reason, Instant.now()), Optional.empty());
    }

    public String id() {
        return attachment.id();
    }

    public Path path() {
        return attachment.path();
    }

    public DriveStatus status() {
        return now.status();
    }

    DriveSnapshot now() {
        return now;
    }

    /// The drive while it can be read.
    public Optional<Drive> readable() {
        return now.readable();
    }

    /// The drive while it takes changes.
    public Optional<Drive> writable() {
        return now.writable();
    }

    /// The drive, for a change.
    ///
    /// @throws StoreException.Unavailable when it takes none
    public Drive toWrite() {
        return now.toWrite();
    }

    /// The drive in whatever state, while it is open.
    public Optional<Drive> open() {
        return now.drive();
    }

    /// As far as is known; of a drive that is not open what was last known.
    public Totals totals() {
        return now.drive().map(drive -> drive.store().totals()).orElse(totals);
    }

    /// What a bucket takes on it; of a drive that does not know it now what was last known.
    public Usage usage(long bucketId) {
        return usages().of(bucketId);
    }

    private Usages usages() {
        return now.drive()
                .filter(Drive::known)
                .map(drive -> drive.store().usages())
                .orElse(usages);
    }

    public long errors() {
        return errors.sum();
    }

    public Optional<String> latestError() {
        return latestError;
    }

    public long probes() {
        return probes.sum();
    }

    void countError(String what) {
        errors.increment();
        latestError = Optional.of(what);
    }

    void countProbe() {
        probes.increment();
    }

    /// @param drive empty when it is not open in this state
    void set(DriveState state, String reason, Optional<Drive> drive) {
        totals = totals();
        usages = usages();
        var before = now.status();
        var since = before.state() == state ? before.since() : Instant.now();
        now = new DriveSnapshot(id(), new DriveStatus(state, reason, since), drive);
        if (before.state() != state) {
            DriveWatch.LOG.warn(
                    "drive {} at {} is {}, was {}{}",
                    id(),
                    path(),
                    state,
                    before.state(),
                    reason.isEmpty() ? "" : ": " + reason);
            attachment.whenChanged();
        }
    }
}
