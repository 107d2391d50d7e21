package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveUploads;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.UploadHome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Supplier;

/// An upload on which this process works: its places on the drive, and who may change it. Void when the drive has been
/// opened again. Kept until the upload has ended, also while a Complete or an Abort is refused: parts are being
/// written.
final class OpenUpload {
    /// How long a part, or an Abort, waits for a Complete that other targets have to decide.
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /// For one that only this target does.
    private static final Duration LONG = Duration.ofMinutes(10);

    private final Drive drive;
    private final UploadState upload;
    private final PartLayout layout;
    private final Supplier<Optional<UploadHome>> home;

    /// Held by whoever enters a part for reading; for writing by an Abort, and from the begin of a Complete until its
    /// write is decided, whatever its client is told.
    private final StampedLock ending = new StampedLock();

    /// @param home where the key's uploads are now; throws when this target may not say so
    OpenUpload(Drive drive, UploadState upload, PartLayout layout, Supplier<Optional<UploadHome>> home) {
        this.drive = drive;
        this.upload = upload;
        this.layout = layout;
        this.home = home;
    }

    Drive drive() {
        return drive;
    }

    DriveUploads uploads() {
        return drive.uploads();
    }

    UploadState upload() {
        return upload;
    }

    PartLayout layout() {
        return layout;
    }

    /// @throws StoreException.NoSuchUpload when it has ended
    void requireThere() {
        drive.call(() -> uploads().require(upload.bucket(), upload.key(), upload.uploadId()));
    }

    /// @throws StoreException.NoSuchUpload when it is over
    /// @throws StoreException.Unavailable when this target may not answer for it now
    void requireHere() {
        requireHere(home.get());
    }

    /// The same of a home that was just looked up.
    void requireHere(Optional<UploadHome> now) {
        if (now.isEmpty()) {
            return;
        }
        if (!now.get().isSame(new UploadHome(drive, upload.home()))) {
            throw new StoreException.NoSuchUpload(upload.uploadId());
        }
        if (now.get().drive() != drive) {
            throw new StoreException.Unavailable("drive " + drive.id() + " has been opened again; try again");
        }
    }

    /// What holds the upload.
    interface Hold extends AutoCloseable {
        /// On any thread.
        @Override
        void close();
    }

    /// While a part is entered.
    Hold entering() {
        return hold(patience(), false);
    }

    /// Until it is known whether it ends.
    Hold ending() {
        return hold(patience(), true);
    }

    private Duration patience() {
        return upload.home() > 0 ? PATIENCE : LONG;
    }

    /// While nobody holds it; never blocks.
    Optional<Hold> ifFree() {
        long stamp = ending.tryWriteLock();
        return stamp == 0 ? Optional.empty() : Optional.of(() -> ending.unlock(stamp));
    }

    /// Whether nothing is left of it.
    boolean hasEnded() {
        return !ending.isWriteLocked()
                && !drive.call(() -> uploads().has(upload.bucket(), upload.key(), upload.uploadId()));
    }

    /// The same for a Complete, which waits for another one to be decided.
    Hold completing(Duration patience) {
        return hold(patience, true);
    }

    private Hold hold(Duration patience, boolean alone) {
        long stamp = locked(patience, alone);
        if (stamp == 0) {
            throw undecided();
        }
        Hold hold = () -> ending.unlock(stamp);
        boolean held = false;
        try {
            requireHere();
            if (uploads().isEnding(upload)) {
                throw undecided();
            }
            held = true;
            return hold;
        } finally {
            if (!held) {
                hold.close();
            }
        }
    }

    private long locked(Duration patience, boolean alone) {
        try {
            return alone
                    ? ending.tryWriteLock(patience.toNanos(), TimeUnit.NANOSECONDS)
                    : ending.tryReadLock(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private StoreException undecided() {
        return new StoreException.Unavailable("a CompleteMultipartUpload of the upload %s is not decided yet; try again"
                .formatted(upload.uploadId()));
    }
}
