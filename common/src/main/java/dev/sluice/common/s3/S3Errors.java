package dev.sluice.common.s3;

import dev.sluice.common.store.StoreException;

/// The only place where a failure of the store becomes a code of S3.
public final class S3Errors {
    private S3Errors() {}

    public static S3Error of(StoreException failure) {
        var message = String.valueOf(failure.getMessage());
        return switch (failure) {
            case StoreException.NoSuchKey no -> S3Code.NO_SUCH_KEY.error(message, no.key());
            case StoreException.NoSuchBucket no -> S3Code.NO_SUCH_BUCKET.error(message, no.bucket());
            case StoreException.BucketExists there -> S3Code.BUCKET_ALREADY_OWNED.error(message, there.bucket());
            case StoreException.BucketNotEmpty full -> S3Code.BUCKET_NOT_EMPTY.error(message, full.bucket());
            case StoreException.NoSuchUpload no -> S3Code.NO_SUCH_UPLOAD.error(message, no.uploadId());
            case StoreException.InvalidPart bad -> S3Code.INVALID_PART.error(message, Integer.toString(bad.part()));
            case StoreException.InvalidPartOrder _ -> S3Code.INVALID_PART_ORDER.error(message);
            case StoreException.EntityTooLarge large ->
                S3Code.ENTITY_TOO_LARGE.error(message, Long.toString(large.size()), Long.toString(large.limit()));
            case StoreException.EntityTooSmall small ->
                S3Code.ENTITY_TOO_SMALL.error(
                        message,
                        Long.toString(small.size()),
                        Long.toString(small.smallest()),
                        Integer.toString(small.part()),
                        small.etag());
            case StoreException.InvalidArgument _ -> S3Code.INVALID_ARGUMENT.error(message);
            case StoreException.PreconditionFailed failed ->
                S3Code.PRECONDITION_FAILED.error(message, failed.condition());
            case StoreException.NotModified _ -> S3Code.NOT_MODIFIED.error(message);
            case StoreException.RangeNotSatisfiable outside ->
                S3Code.INVALID_RANGE.error(message, Long.toString(outside.size()));
            case StoreException.NoWholeTar _ -> S3Code.NO_WHOLE_TAR.error(message);
            case StoreException.SampleTooLarge _ -> S3Code.SAMPLE_TOO_LARGE.error(message);
            case StoreException.NoSuchSample no ->
                S3Code.NO_SUCH_SAMPLE.error(message, Long.toString(no.number()), Integer.toString(no.count()));
            case StoreException.BadDigest bad -> new S3Error(S3Code.BAD_DIGEST, message, bad.digests());
            case StoreException.IncompleteBody _ -> S3Code.INCOMPLETE_BODY.error(message);
            case StoreException.NoSpace _ -> S3Code.INSUFFICIENT_STORAGE.error(message);
            case StoreException.QuotaExceeded _ -> S3Code.QUOTA_EXCEEDED.error(message);
            case StoreException.Damaged _ -> S3Code.INTERNAL_ERROR.error(message);
            case StoreException.DriveFailed _ -> S3Code.SERVICE_UNAVAILABLE.error(message);
            case StoreException.BackendUnavailable _ -> S3Code.SERVICE_UNAVAILABLE.error(message);
            case StoreException.BackendDenied _ -> S3Code.ACCESS_DENIED.error(message);
            case StoreException.NotLeader _ -> S3Code.SERVICE_UNAVAILABLE.error(message);
            case StoreException.NotPrimary _ -> S3Code.SERVICE_UNAVAILABLE.error(message);
            case StoreException.Unavailable _ -> S3Code.SERVICE_UNAVAILABLE.error(message);
        };
    }
}
