package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.WriteCondition;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.Refs;
import dev.sluice.targetnode.bucket.Writes;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.Upload;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.multipart.CompletedParts;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.multipart.Part;
import dev.sluice.targetnode.storage.multipart.UploadState;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writes to buckets with a backend: acknowledged when the cloud has them.
///
/// The local copy goes first, durably, so that a crash on the way leaves nothing that the cloud has not; then the cloud
/// is
/// written; then the new copy is stored. A failure of the cloud leaves the key without a local copy, and the next GET
/// asks
/// the cloud.
public final class WriteThrough {
    private final ObjectStore store;
    private final BucketBackends backends;
    private final Fills fills;
    private final Writes writes;
    private final Multipart uploads;

    public WriteThrough(ObjectStore store, BucketBackends backends, Fills fills, Writes writes) {
        this.store = store;
        this.backends = backends;
        this.fills = fills;
        this.writes = writes;
        this.uploads = store.multipart();
    }

    /// @param upload has all the bytes, and they are the ones the client promised
    public ObjectRecord put(
            Bucket bucket,
            String key,
            Upload upload,
            ReceivedDigests.Received received,
            WriteAttributes attributes,
            Conditions conditions) {
        var backend = backends.of(bucket);
        try (var _ = fills.write(new Fills.Key(bucket.id(), key));
                var _ = writes.enter(bucket)) {
            forget(bucket, key);
            var condition = condition(backend, key, conditions);
            var stored =
                    backend.put(key, received.size(), new UploadSource(upload, received.size()), attributes, condition);
            return upload.commit(new CommitTerms(
                    stored.etag(),
                    received.checksums(),
                    attributes.headers(),
                    attributes.userMetadata(),
                    Optional.of(stored.version()),
                    Optional.of(stored.lastModified().toEpochMilli()),
                    WriteCheck.NONE));
        }
    }

    /// The parts' bytes go to the cloud in one piece, then the upload is over; the object is filled from the cloud when
    /// it is read.
    public BackendObject complete(
            Bucket bucket,
            String key,
            UploadState upload,
            List<S3Request.CompletedPart> listed,
            List<Part> present,
            Conditions conditions) {
        var backend = backends.of(bucket);
        var parts = CompletedParts.wanted(listed, present);
        var attributes = new WriteAttributes(
                upload.headers(), upload.userMetadata(), Optional.empty(), Map.of(), Optional.empty());
        try (var _ = fills.write(new Fills.Key(bucket.id(), key));
                var _ = writes.enter(bucket)) {
            forget(bucket, key);
            var condition = condition(backend, key, conditions);
            long size = parts.stream().mapToLong(Part::size).sum();
            var stored = backend.put(key, size, new PartsSource(uploads, upload, parts), attributes, condition);
            uploads.abort(upload.bucket(), key, upload.uploadId());
            return stored;
        }
    }

    public void delete(Bucket bucket, String key, Conditions conditions) {
        var backend = backends.of(bucket);
        try (var _ = fills.write(new Fills.Key(bucket.id(), key));
                var _ = writes.enter(bucket)) {
            if (!conditions.none()) {
                conditions.checkWrite(Optional.of(backend.head(key).etag()), key);
            }
            forget(bucket, key);
            backend.delete(key);
        }
    }

    private void forget(Bucket bucket, String key) {
        store.delete(Refs.of(bucket), key, WriteCheck.NONE, Refs.durability(bucket));
    }

    /// The client's conditions are judged by what the cloud has, and the cloud is told to refuse if that changes.
    private static WriteCondition condition(Backend backend, String key, Conditions conditions) {
        if (conditions.none()) {
            return WriteCondition.NONE;
        }
        try {
            var present = backend.head(key);
            conditions.checkWrite(Optional.of(present.etag()), key);
            return new WriteCondition.IfVersion(present.version());
        } catch (StoreException.NoSuchKey _) {
            conditions.checkWrite(Optional.empty(), key);
            return new WriteCondition.IfAbsent();
        }
    }
}
