package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Assembly;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveUploads;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.FromParts;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.slots.Staged;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The object of an upload's parts. The change that makes it the object ends the upload too. Until that is decided
/// nothing else changes the upload: a Complete that is refused may come again.
final class Ending implements Staged {
    private final OpenUpload open;
    private final List<Part> parts;
    private final Assembly.Result whole;
    private final Map<ChecksumAlgorithm, String> checksums;
    private final boolean durable;
    private final OpenUpload.Hold hold;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private CompletableFuture<Void> preparing = CompletableFuture.completedFuture(null);
    private boolean handedOver;
    private boolean isDecided;

    private Ending(
            OpenUpload open,
            List<Part> parts,
            Assembly.Result whole,
            Map<ChecksumAlgorithm, String> checksums,
            boolean durable,
            OpenUpload.Hold hold) {
        this.open = open;
        this.parts = parts;
        this.whole = whole;
        this.checksums = checksums;
        this.durable = durable;
        this.hold = hold;
    }

    /// Makes one file of the parts. Blocks.
    ///
    /// @param checksums of the whole object, to keep
    /// @param hold of the upload; let go when it is decided, or when this throws
    /// @param spare where the file is if it has to be written anew
    static Ending gather(
            OpenUpload open,
            List<CompletedPart> list,
            Map<ChecksumAlgorithm, String> checksums,
            String spare,
            boolean durable,
            OpenUpload.Hold hold) {
        var id = open.upload().uploadId();
        boolean quiet = open.layout().ends();
        boolean gathered = false;
        try {
            var ending = open.drive().call(() -> {
                var uploads = open.uploads();
                var present = uploads.parts(id, 0, Multipart.LAST_NUMBER);
                var wanted = CompletedParts.wanted(list, present);
                var whole = uploads.assemble(open.upload(), wanted, present, quiet, spare);
                return new Ending(open, wanted, whole, checksums, durable, hold);
            });
            gathered = true;
            return ending;
        } finally {
            if (!gathered) {
                open.layout().goesOn();
                hold.close();
            }
        }
    }

    @Override
    public ObjectRecord record(ObjectVersion version) {
        var upload = open.upload();
        return new ObjectRecord(
                upload.bucket().id(),
                upload.key(),
                version,
                whole.size(),
                upload.createdMillis(),
                System.currentTimeMillis(),
                CompletedParts.etag(parts),
                checksums,
                upload.headers(),
                upload.userMetadata(),
                Optional.of(FromParts.of(upload, parts)),
                Optional.empty(),
                whole.blocks(),
                Optional.empty(),
                BlockSums.of());
    }

    @Override
    public Content content(int position) {
        return new Content.OnDrive(open.drive(), whole.path());
    }

    @Override
    public Optional<Prepared> atOnce(Drive on, ObjectRecord record) {
        return Optional.empty();
    }

    @Override
    public Prepared prepare(Drive on, ObjectRecord record) throws IOException {
        var prepared = handOver();
        try {
            var ended = DriveUploads.ended(open.upload(), record);
            return on.store().preparePut(open.upload().bucket(), whole.path(), whole.file(), record, ended, durable);
        } catch (IOException | RuntimeException failure) {
            drop();
            throw failure;
        } finally {
            prepared.complete(null);
        }
    }

    private synchronized CompletableFuture<Void> handOver() {
        if (isDecided) {
            throw new StoreException.Unavailable("nobody waits for the upload's end any more");
        }
        handedOver = true;
        preparing = new CompletableFuture<>();
        return preparing;
    }

    /// Only ends the upload.
    @Override
    public Optional<Prepared> leave(ObjectRecord record) {
        return Optional.of(DriveUploads.ending(open.upload(), record, durable));
    }

    /// Where it comes late, another Complete may have begun: the record of the file is that one's then.
    @Override
    public void drop() {
        if (letFall()) {
            open.ifFree().ifPresent(free -> {
                var _ = givenUp().whenComplete((_, _) -> free.close());
            });
        }
    }

    private synchronized boolean letFall() {
        handedOver = false;
        return isDecided;
    }

    @Override
    public void decided() {
        CompletableFuture<Void> prepared;
        synchronized (this) {
            isDecided = true;
            prepared = preparing;
        }
        var _ = prepared.thenRun(() -> {
            if (isTaken()) {
                letGo();
            } else {
                var _ = givenUp().whenComplete((_, _) -> {
                    open.layout().goesOn();
                    letGo();
                });
            }
        });
    }

    private synchronized boolean isTaken() {
        return handedOver;
    }

    /// The parts stay where they are. But an index made anew must not take their file for the object.
    private CompletableFuture<Void> givenUp() {
        return open.drive().startStep(() -> open.uploads().giveUp(whole.path()));
    }

    /// A file that the drive has taken may become the object yet: no part is written there any more.
    private void letGo() {
        open.drive().closeLater(whole.file());
        hold.close();
        over.complete(null);
    }

    /// Completes when it is decided, and nothing else is to be done with the file.
    CompletableFuture<Void> over() {
        return over;
    }
}
