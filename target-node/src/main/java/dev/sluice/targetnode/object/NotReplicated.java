package dev.sluice.targetnode.object;

import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;

/// Requests that are not served in a bucket whose objects several targets keep.
final class NotReplicated {
    private NotReplicated() {}

    /// @throws S3Failure NotImplemented, before anything of the body is asked for
    static void require(ObjectCall call) {
        var bucket = call.bucket();
        if (bucket.properties().replicas() == 1) {
            return;
        }
        switch (call.request()) {
            case S3Request.CreateMultipartUpload _,
                    S3Request.UploadPart _,
                    S3Request.UploadPartCopy _,
                    S3Request.ListParts _,
                    S3Request.CompleteMultipartUpload _ -> throw refused("multipart uploads", call);
            case S3Request.GetObject _,
                    S3Request.HeadObject _,
                    S3Request.GetObjectAcl _,
                    S3Request.PutObjectAcl _,
                    S3Request.GetObjectTagging _,
                    S3Request.PutObject _,
                    S3Request.CopyObject _,
                    S3Request.DeleteObject _,
                    S3Request.AbortMultipartUpload _ -> {}
        }
    }

    private static S3Failure refused(String what, ObjectCall call) {
        return S3Failure.notImplemented("%s into bucket %s, which has %d replicas; use PutObject"
                .formatted(
                        what, call.bucket().name(), call.bucket().properties().replicas()));
    }
}
