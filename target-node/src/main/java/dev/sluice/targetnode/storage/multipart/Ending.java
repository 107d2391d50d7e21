package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.drive.Assembly;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveUploads;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.Staged;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The object of an upload's parts. The change that makes it the object ends the upload too: a Complete that is refused
/// before may come again.
final class Ending implements Staged, AutoCloseable {
    private final Drive drive;
    private final Name name;
    private final List<CompletedPart> list;
    private final Map<ChecksumAlgorithm, String> checksums;
    private final Versions versions;
    private final boolean durable;
    private final boolean quiet;
    private Optional<Gathered> gathered = Optional.empty();
    private volatile boolean handedOver;

    record Name(BucketRef bucket, String key, String uploadId) {}

    /// @param spare where the file is if it had to be written anew
    private record Gathered(UploadState upload, List<Part> parts, String spare, Assembly.Result whole) {}

    /// @param drive that the upload lives on
    /// @param checksums of the whole object, to keep
    /// @param quiet whether no part is being written to its place
    Ending(
            Drive drive,
            Name name,
            List<CompletedPart> list,
            Map<ChecksumAlgorithm, String> checksums,
            Versions versions,
            Durability durability,
            boolean quiet) {
        this.drive = drive;
        this.name = name;
        this.list = list;
        this.checksums = checksums;
        this.versions = versions;
        this.durable = durability == Durability.FSYNC;
        this.quiet = quiet;
    }

    /// Makes one file of the parts.
    @Override
    public void gather() {
        gathered = Optional.of(drive.call(this::assembled));
    }

    private Gathered assembled() throws IOException {
        var uploads = drive.uploads();
        var upload = uploads.require(name.bucket(), name.key(), name.uploadId());
        var present = uploads.parts(name.uploadId(), 0, Multipart.LAST_NUMBER);
        var wanted = CompletedParts.wanted(list, present);
        var spare = Layout.work(versions.next());
        var whole = uploads.assemble(upload, wanted, present, quiet, spare);
        return new Gathered(upload, wanted, spare, whole);
    }

    private Gathered parts() {
        return gathered.orElseThrow(() -> new IllegalStateException("the parts are not gathered yet"));
    }

    @Override
    public ObjectRecord record(ObjectVersion version) {
        var upload = parts().upload();
        return new ObjectRecord(
                name.bucket().id(),
                name.key(),
                version,
                parts().whole().size(),
                upload.createdMillis(),
                System.currentTimeMillis(),
                CompletedParts.etag(parts().parts()),
                checksums,
                upload.headers(),
                upload.userMetadata(),
                parts().parts().stream().map(Part::size).toList(),
                Optional.empty(),
                parts().whole().blocks());
    }

    @Override
    public Content content() {
        return new Content.OnDrive(drive, parts().whole().path());
    }

    @Override
    public Optional<Prepared> atOnce(Drive on, ObjectRecord record) {
        return Optional.empty();
    }

    @Override
    public Prepared prepare(Drive on, ObjectRecord record) throws IOException {
        var whole = parts().whole();
        var ended = DriveUploads.ended(parts().upload(), record);
        var change = on.store().preparePut(name.bucket(), whole.path(), whole.file(), record, ended, durable);
        handedOver = true;
        return change;
    }

    /// Whether the drive has the file now, or may have it.
    boolean isHandedOver() {
        return handedOver;
    }

    /// Only ends the upload.
    @Override
    public Optional<Prepared> leave(ObjectRecord record) {
        return Optional.of(DriveUploads.ending(parts().upload(), record, durable));
    }

    @Override
    public void drop() {
        handedOver = false;
    }

    /// The parts stay where they are.
    @Override
    public void close() {
        gathered.ifPresent(all -> {
            drive.closeLater(all.whole().file());
            if (!handedOver && all.whole().path().equals(all.spare())) {
                var _ = drive.startStep(() -> drive.store().discard(all.spare())); // whether it fails or not
            }
        });
    }
}
