package dev.sluice.common.s3;

import dev.sluice.common.store.StoreException;
import java.util.List;

/// The only place where a failure of the store becomes a code of S3.
public final class S3Errors {
    private S3Errors() {}

    /// For an S3 client: in S3's words where they and the elements say all that ours do.
    public static S3Error of(StoreException failure) {
        var message = message(failure);
        return switch (failure) {
            case StoreException.NoSuchKey no -> S3Code.NO_SUCH_KEY.error(List.of(no.key()));
            case StoreException.NoSuchBucket no -> S3Code.NO_SUCH_BUCKET.error(List.of(no.bucket()));
            case StoreException.BucketExists there -> S3Code.BUCKET_ALREADY_OWNED.error(List.of(there.bucket()));
            case StoreException.BucketNotEmpty full -> S3Code.BUCKET_NOT_EMPTY.error(List.of(full.bucket()));
            case StoreException.NoSuchUpload no -> S3Code.NO_SUCH_UPLOAD.error(List.of(no.uploadId()));
            case StoreException.InvalidPart bad -> invalid(bad);
            case StoreException.InvalidPartOrder _ -> S3Code.INVALID_PART_ORDER.error(List.of());
            case StoreException.EntityTooLarge large ->
                S3Code.ENTITY_TOO_LARGE.error(List.of(Long.toString(large.size()), Long.toString(large.limit())));
            case StoreException.EntityTooSmall small ->
                S3Code.ENTITY_TOO_SMALL.error(List.of(
                        Long.toString(small.size()),
                        Long.toString(small.smallest()),
                        Integer.toString(small.part()),
                        small.etag()));
            case StoreException.InvalidArgument bad ->
                new S3Error(S3Code.INVALID_ARGUMENT, message, bad.nameAndValue());
            case StoreException.PreconditionFailed failed ->
                S3Code.PRECONDITION_FAILED.error(List.of(failed.condition()));
            case StoreException.NotModified _ -> S3Code.NOT_MODIFIED.error(message);
            case StoreException.RangeNotSatisfiable outside ->
                S3Code.INVALID_RANGE.error(List.of(Long.toString(outside.size())));
            case StoreException.NoWholeTar _ -> S3Code.NO_WHOLE_TAR.error(message);
            case StoreException.SampleTooLarge _ -> S3Code.SAMPLE_TOO_LARGE.error(message);
            case StoreException.NoSuchSample no ->
                S3Code.NO_SUCH_SAMPLE.error(message, Long.toString(no.number()), Integer.toString(no.count()));
            case StoreException.BadDigest bad -> new S3Error(S3Code.BAD_DIGEST, bad.sentence(), bad.digests());
            case StoreException.IncompleteBody body -> incomplete(body);
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

    /// For the native API, whose errors have no elements: in the store's own words.
    public static S3Error inOurWords(StoreException failure) {
        var error = of(failure);
        return new S3Error(error.kind(), message(failure), error.values());
    }

    private static S3Error invalid(StoreException.InvalidPart failure) {
        var part = Integer.toString(failure.part());
        return failure.asS3Says()
                ? S3Code.INVALID_PART.error(List.of(part))
                : S3Code.INVALID_PART.error(message(failure), part);
    }

    private static S3Error incomplete(StoreException.IncompleteBody failure) {
        return failure.lengths().isEmpty()
                ? S3Code.INCOMPLETE_BODY.error(message(failure))
                : S3Code.INCOMPLETE_BODY.error(failure.lengths());
    }

    private static String message(StoreException failure) {
        return String.valueOf(failure.getMessage());
    }
}
