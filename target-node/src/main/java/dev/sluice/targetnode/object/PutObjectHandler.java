package dev.sluice.targetnode.object;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.body.BodyDecoder;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.coldfill.WriteThrough;
import dev.sluice.targetnode.expiry.ExpiryDates;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// PutObject: into a staging file while it is digested; the object only when every promise about its bytes held, on the
/// drive at the bucket's durability, and for a bucket with a backend in the cloud too.
public final class PutObjectHandler {
    private final ObjectStore store;
    private final BucketWriteGate writes;
    private final Quotas quotas;
    private final ObjectSizeLimit limit;
    private final WriteThrough writeThrough;
    private final BodyReceiver receiver;
    private final ExpiryDates dates;

    public PutObjectHandler(
            ObjectStore store,
            BucketWriteGate writes,
            Quotas quotas,
            ObjectSizeLimit limit,
            WriteThrough writeThrough,
            BodyReceiver receiver,
            ExpiryDates dates) {
        this.store = store;
        this.writes = writes;
        this.quotas = quotas;
        this.limit = limit;
        this.writeThrough = writeThrough;
        this.receiver = receiver;
        this.dates = dates;
    }

    public Response handle(ObjectCall call, S3Request.PutObject put, ByteSource raw) {
        try (var body = BodyDecoder.open(raw, call.head(), call.terms())) {
            var written = write(
                    call.bucket(), call.key(), UploadBody.of(body), put.attributes(), put.conditions(), raw::abandoned);
            var headers = headers(written.etag(), written.checksums());
            return Response.of(200, expiry(call, written, put.attributes(), headers), ResponseBody.NONE)
                    .with(encryption(written));
        }
    }

    private Headers expiry(ObjectCall call, WriteThrough.Written written, WriteAttributes attributes, Headers headers) {
        return dates.of(call.bucket(), call.key())
                .of(written.size(), Instant.ofEpochMilli(written.modifiedMillis()), attributes.headers())
                .map(value -> headers.with(ExpiryDates.HEADER, value))
                .orElse(headers);
    }

    /// What the bucket's cloud says of it.
    static Headers encryption(WriteThrough.Written written) {
        return written.encryption()
                .map(kind -> Headers.of(Encryption.HEADER, kind))
                .orElse(Headers.EMPTY);
    }

    /// Also what a copy does with its source's bytes.
    ///
    /// @param abandoned whether nobody waits for it any more
    public WriteThrough.Written write(
            Bucket bucket,
            String key,
            UploadBody body,
            WriteAttributes attributes,
            Conditions conditions,
            BooleanSupplier abandoned) {
        limit.require(body.length());
        writes.requireWritable(bucket);
        try (var room = quotas.reserve(bucket, body.length(), size -> quotas.growth(bucket, key, size));
                var upload = store.begin(BucketRefs.of(bucket), key, body.length(), BucketRefs.durability(bucket))) {
            var received = receiver.take(
                    body,
                    attributes,
                    length -> {
                        room.come(length);
                        upload.takeRoom(length);
                    },
                    upload::writing,
                    upload::sums);
            if (bucket.backed()) {
                return writeThrough.put(bucket, key, upload, received, attributes, conditions);
            }
            room.atLeast(received.size());
            try (var _ = writes.enter(bucket)) {
                var check = check(conditions, key).unless(abandoned);
                return WriteThrough.Written.of(
                        room.storing(received.size(), () -> upload.commit(terms(received, attributes, check))));
            }
        }
    }

    private static CommitTerms terms(ReceivedDigests.Received received, WriteAttributes attributes, WriteCheck check) {
        return new CommitTerms(
                received.etag(),
                received.checksums(),
                attributes.headers(),
                attributes.userMetadata(),
                Optional.empty(),
                Optional.empty(),
                check);
    }

    public static WriteCheck check(Conditions conditions, String key) {
        return conditions.none()
                ? WriteCheck.NONE
                : present -> conditions.checkWrite(present.map(ObjectRecord::etag), key);
    }

    public static Headers headers(String etag, Map<ChecksumAlgorithm, String> checksums) {
        var headers = Headers.builder().add("ETag", '"' + etag + '"');
        checksums.forEach((algorithm, value) -> headers.add(algorithm.header(), value));
        return headers.build();
    }
}
