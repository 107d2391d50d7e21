package dev.sluice.targetnode.coldfill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendChecks;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.WriteCondition;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.EncodedWords;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.Upload;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.multipart.CompletedParts;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.Part;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writes to buckets with a backend: acknowledged when the cloud has them.
///
/// The local copy goes first, durably, so that a crash on the way leaves nothing that the cloud has not; then the cloud
/// is written; then the new copy is stored. A failure of the cloud leaves the key without a local copy, and the next
/// GET asks the cloud.
public final class WriteThrough {
    private static final Duration RESULTS_KEPT = Duration.ofHours(24);
    private static final int RESULTS_AT_MOST = 10_000;

    private final ObjectStore store;
    private final BucketBackends backends;
    private final Fills fills;
    private final BucketWriteGate writes;
    private final Multipart uploads;
    private final Cache<String, Completion> completions = Caffeine.newBuilder()
            .expireAfterWrite(RESULTS_KEPT)
            .maximumSize(RESULTS_AT_MOST)
            .build();

    /// What CompleteMultipartUpload made.
    ///
    /// @param etag the cloud's
    public record Completion(Bucket bucket, String key, String etag, Map<ChecksumAlgorithm, String> checksums) {}

    public WriteThrough(ObjectStore store, BucketBackends backends, Fills fills, BucketWriteGate writes) {
        this.store = store;
        this.backends = backends;
        this.fills = fills;
        this.writes = writes;
        this.uploads = store.multipart();
    }

    /// What a client is told of the object that it wrote.
    ///
    /// @param encryption what the cloud says of it
    public record Written(
            String etag,
            long size,
            long modifiedMillis,
            Map<ChecksumAlgorithm, String> checksums,
            Optional<String> encryption) {
        public static Written of(ObjectRecord record) {
            return of(record, Optional.empty());
        }

        private static Written of(ObjectRecord record, Optional<String> encryption) {
            return new Written(record.etag(), record.size(), record.modifiedMillis(), record.checksums(), encryption);
        }
    }

    /// Stored here too, except where the cloud may say the metadata in other words than the client did: the next GET
    /// fetches that object, so that all answers are the cloud's. Nor is it stored while an earlier write of the key
    /// may still reach the cloud.
    ///
    /// @param upload has all the bytes, and they are the ones the client promised
    public Written put(
            Bucket bucket,
            String key,
            Upload upload,
            ReceivedDigests.Received received,
            WriteAttributes attributes,
            Conditions conditions) {
        var backend = backends.of(bucket);
        // the checksums of what came in go along, so that the cloud refuses what the drive gives back otherwise
        var promised = new WriteAttributes(
                attributes.headers(),
                attributes.userMetadata(),
                attributes.contentMd5(),
                promised(received),
                attributes.declared(),
                attributes.encrypted());
        try (var write = fills.write(new Fills.Key(bucket.id(), key));
                var _ = writes.enter(bucket)) {
            var condition = condition(backend, key, conditions);
            forget(bucket, key);
            var source = new UploadSource(upload, received.size());
            var stored = write.toCloud(() -> backend.put(key, received.size(), source, promised, condition));
            long modified = stored.lastModified().toEpochMilli();
            if (!isReturnedAsSent(attributes) || !write.mayStore()) {
                return new Written(stored.etag(), received.size(), modified, received.checksums(), stored.encryption());
            }
            var record = upload.commit(new CommitTerms(
                    stored.etag(),
                    received.checksums(),
                    Tags.counted(attributes.headers()),
                    attributes.userMetadata(),
                    Optional.of(stored.version()),
                    Optional.of(modified),
                    WriteCheck.NONE));
            return Written.of(record, stored.encryption());
        }
    }

    private static boolean isReturnedAsSent(WriteAttributes attributes) {
        return attributes.headers().values().stream().allMatch(EncodedWords::isPlain)
                && attributes.userMetadata().values().stream().allMatch(EncodedWords::isPlain);
    }

    /// A cloud may not know what the client sent, and would ignore it.
    private static Map<ChecksumAlgorithm, String> promised(ReceivedDigests.Received received) {
        return Collections.disjoint(received.checksums().keySet(), BackendChecks.KNOWN_TO_CLOUDS)
                ? Map.of(ChecksumAlgorithm.CRC32C, received.crc32c())
                : received.checksums();
    }

    /// The parts' bytes go to the cloud in one piece, once ([UploadToCloud]); then the upload is over. The object is
    /// fetched from the cloud when it is read. Done again while another request does it, it waits for that result.
    ///
    /// @param checksums to be told to the client
    public Completion complete(
            Bucket bucket,
            String key,
            String uploadId,
            List<S3Request.CompletedPart> listed,
            List<Part> present,
            Map<ChecksumAlgorithm, String> checksums,
            Conditions conditions) {
        var backend = backends.of(bucket);
        try (var write = fills.write(new Fills.Key(bucket.id(), key));
                var _ = writes.enter(bucket)) {
            var before = completed(bucket, key, uploadId);
            if (before.isPresent()) {
                return before.get();
            }
            var parts = CompletedParts.wanted(listed, present);
            var upload = uploads.require(BucketRefs.of(bucket), key, uploadId);
            var etag = new UploadToCloud(backend, uploads, upload, parts, write, () -> forget(bucket, key))
                    .write(conditions);
            var result = new Completion(bucket, key, etag, checksums);
            completions.put(uploadId, result);
            uploads.abort(upload.bucket(), key, uploadId);
            return result;
        }
    }

    /// What became of an upload that was completed not too long ago. Forgotten by a restart.
    public Optional<Completion> completed(Bucket bucket, String key, String uploadId) {
        return Optional.ofNullable(completions.getIfPresent(uploadId))
                .filter(done -> done.bucket().id() == bucket.id() && done.key().equals(key));
    }

    public void delete(Bucket bucket, String key, DeleteConditions conditions) {
        var backend = backends.of(bucket);
        try (var write = fills.write(new Fills.Key(bucket.id(), key));
                var _ = writes.enter(bucket)) {
            if (!conditions.none()) {
                present(backend, key)
                        .ifPresentOrElse(
                                object -> conditions.check(object.etag(), object.size(), object.lastModified()),
                                () -> conditions.checkAbsent(key));
            }
            forget(bucket, key);
            var _ = write.toCloud(() -> {
                backend.delete(key);
                return key;
            });
        }
    }

    /// Synced whatever the bucket's durability is: after the cloud has changed, a power cut must not bring the old copy
    /// back. One look into the index when there is none. The cloud is written next, and a kill may come then.
    private void forget(Bucket bucket, String key) {
        store.noteCloudWrite(BucketRefs.of(bucket), key);
        store.delete(BucketRefs.of(bucket), key, WriteCheck.NONE, Durability.FSYNC);
    }

    /// The client's conditions are judged by what the cloud has, and the cloud is told to refuse if that changes.
    private static WriteCondition condition(Backend backend, String key, Conditions conditions) {
        if (conditions.none()) {
            return WriteCondition.NONE;
        }
        var present = present(backend, key);
        conditions.checkWrite(present.map(BackendObject::etag), key);
        return unchanged(present.map(BackendObject::version));
    }

    /// @param version of the object that is to be there still; empty for none
    static WriteCondition unchanged(Optional<String> version) {
        return version.<WriteCondition>map(WriteCondition.IfVersion::new).orElseGet(WriteCondition.IfAbsent::new);
    }

    static Optional<BackendObject> present(Backend backend, String key) {
        try {
            return Optional.of(backend.head(key));
        } catch (StoreException.NoSuchKey _) {
            return Optional.empty();
        }
    }
}
