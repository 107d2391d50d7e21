package dev.sluice.targetnode.object;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.TargetUploads;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.answer.MultipartXml;
import dev.sluice.common.s3.answer.Owner;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.body.BodyDecoder;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.s3.listing.ListedPart;
import dev.sluice.common.s3.listing.ListedUpload;
import dev.sluice.common.s3.listing.PartsPage;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.Part;
import java.time.Instant;
import java.util.HashSet;

/// Multipart uploads up to their completion.
public final class MultipartHandlers {
    private static final int ALL = 10_000;

    private final Multipart uploads;
    private final BucketWriteGate writes;
    private final Quotas quotas;
    private final ObjectSizeLimit limit;
    private final BodyReceiver receiver;

    public MultipartHandlers(
            Multipart uploads, BucketWriteGate writes, Quotas quotas, ObjectSizeLimit limit, BodyReceiver receiver) {
        this.uploads = uploads;
        this.writes = writes;
        this.quotas = quotas;
        this.limit = limit;
        this.receiver = receiver;
    }

    public Response create(ObjectCall call, S3Request.CreateMultipartUpload create) {
        var attributes = create.attributes();
        var algorithm = attributes.declared();
        try (var _ = writes.enter(call.bucket())) {
            var upload = uploads.create(
                    BucketRefs.of(call.bucket()),
                    call.key(),
                    attributes.encrypted() && call.bucket().backed()
                            ? Encryption.with(attributes.headers()) // its cloud is told when the upload is completed
                            : attributes.headers(),
                    attributes.userMetadata(),
                    algorithm.map(ChecksumAlgorithm::name),
                    create.fullObjectChecksum());
            var response = S3Responses.xml(MultipartXml.initiated(create.name(), upload.uploadId()));
            if (algorithm.isEmpty()) {
                return response;
            }
            return response.with("x-amz-checksum-algorithm", algorithm.get().name())
                    .with("x-amz-checksum-type", create.fullObjectChecksum() ? "FULL_OBJECT" : "COMPOSITE");
        }
    }

    public Response part(ObjectCall call, S3Request.UploadPart part, ByteSource raw) {
        try (var body = BodyDecoder.open(raw, call.head(), call.terms())) {
            var received = write(
                    call.bucket(),
                    call.key(),
                    part.uploadId(),
                    part.partNumber(),
                    UploadBody.of(body),
                    part.attributes());
            return Response.of(200, PutObjectHandler.headers(received.etag(), received.checksums()), ResponseBody.NONE);
        }
    }

    /// Takes in a part's bytes, from a client or from the source of a copy. The upload's checksum is computed for every
    /// part, whether its sender promised one or not.
    public ReceivedDigests.Received write(
            Bucket bucket, String key, String uploadId, int number, UploadBody body, WriteAttributes attributes) {
        limit.require(body.length());
        var ref = BucketRefs.of(bucket);
        var upload = uploads.require(ref, key, uploadId);
        var ofUpload = upload.checksumAlgorithm().flatMap(ChecksumAlgorithm::ofName);
        ofUpload.ifPresent(algorithm -> requireSame(algorithm, attributes));
        var computed = attributes.declared().or(() -> ofUpload);
        var promised = new WriteAttributes(
                attributes.headers(),
                attributes.userMetadata(),
                attributes.contentMd5(),
                attributes.checksums(),
                computed);
        try (var room = quotas.reserve(bucket, body.length(), size -> size - replaced(ref, key, uploadId, number));
                var part = uploads.part(ref, key, uploadId, number, body.length(), BucketRefs.durability(bucket))) {
            var received = receiver.take(
                    body,
                    promised,
                    length -> {
                        room.come(length);
                        part.takeRoom(length);
                    },
                    part::writing,
                    part::sums);
            try (var _ = writes.enter(bucket)) {
                part.commit(received.etag(), received.checksums());
            }
            return received;
        }
    }

    private static void requireSame(ChecksumAlgorithm ofUpload, WriteAttributes ofPart) {
        var named = new HashSet<>(ofPart.checksums().keySet());
        ofPart.declared().ifPresent(named::add);
        named.remove(ofUpload);
        if (!named.isEmpty()) {
            throw S3Failure.invalidRequest(
                    "Checksum Type mismatch occurred, expected checksum Type: %s, actual checksum Type: %s"
                            .formatted(ofUpload, named.iterator().next()));
        }
    }

    private long replaced(BucketRef bucket, String key, String uploadId, int number) {
        return uploads.listParts(bucket, key, uploadId, number - 1, 1).stream()
                .filter(old -> old.number() == number)
                .mapToLong(Part::size)
                .sum();
    }

    public Response list(ObjectCall call, S3Request.ListParts list) {
        var parts = uploads.listParts(BucketRefs.of(call.bucket()), call.key(), list.uploadId(), 0, ALL).stream()
                .map(part -> new ListedPart(
                        part.number(),
                        part.size(),
                        part.etag(),
                        Instant.ofEpochMilli(part.modifiedMillis()),
                        part.checksums()))
                .toList();
        return S3Responses.xml(MultipartXml.parts(list, PartsPage.of(parts, list), Owner.SLUICE));
    }

    public Response abort(ObjectCall call, S3Request.AbortMultipartUpload abort) {
        uploads.abort(BucketRefs.of(call.bucket()), call.key(), abort.uploadId());
        return Response.empty(204);
    }

    public TargetUploads uploads(Bucket bucket, UploadsQuery query) {
        var listed = uploads.listUploads(
                BucketRefs.of(bucket), query.prefix(), query.keyMarker(), query.idMarker(), query.limit());
        return new TargetUploads(
                listed.uploads().stream()
                        .map(upload -> new ListedUpload(
                                upload.key(), upload.uploadId(), Instant.ofEpochMilli(upload.createdMillis())))
                        .toList(),
                listed.slots());
    }
}
