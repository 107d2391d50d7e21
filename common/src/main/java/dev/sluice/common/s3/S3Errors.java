package dev.sluice.common.s3;

import dev.sluice.common.store.StoreException;

/// The only place where a failure of the store becomes an S3 code and an HTTP status.
public final class S3Errors {
    private S3Errors() {}

    public static S3Error of(StoreException failure) {
        var message = String.valueOf(failure.getMessage());
        return switch (failure) {
            case StoreException.NoSuchKey _ -> new S3Error(404, "NoSuchKey", message);
            case StoreException.NoSuchBucket _ -> new S3Error(404, "NoSuchBucket", message);
            case StoreException.BucketExists _ -> new S3Error(409, "BucketAlreadyOwnedByYou", message);
            case StoreException.BucketNotEmpty _ -> new S3Error(409, "BucketNotEmpty", message);
            case StoreException.NoSuchUpload _ -> new S3Error(404, "NoSuchUpload", message);
            case StoreException.InvalidPart _ -> new S3Error(400, "InvalidPart", message);
            case StoreException.InvalidPartOrder _ -> new S3Error(400, "InvalidPartOrder", message);
            case StoreException.EntityTooLarge _ -> new S3Error(400, "EntityTooLarge", message);
            case StoreException.EntityTooSmall _ -> new S3Error(400, "EntityTooSmall", message);
            case StoreException.InvalidArgument _ -> new S3Error(400, "InvalidArgument", message);
            case StoreException.PreconditionFailed _ -> new S3Error(412, "PreconditionFailed", message);
            case StoreException.NotModified _ -> new S3Error(304, "NotModified", message);
            case StoreException.RangeNotSatisfiable _ -> new S3Error(416, "InvalidRange", message);
            case StoreException.BadDigest _ -> new S3Error(400, "BadDigest", message);
            case StoreException.IncompleteBody _ -> new S3Error(400, "IncompleteBody", message);
            // S3 has no code for a full drive; 507 is what SDKs do not retry at once.
            case StoreException.NoSpace _ -> new S3Error(507, "InsufficientStorage", message);
            case StoreException.QuotaExceeded _ -> new S3Error(507, "QuotaExceeded", message);
            case StoreException.Damaged _ -> new S3Error(500, "InternalError", message);
            case StoreException.DriveFailed _ -> new S3Error(503, "ServiceUnavailable", message);
            case StoreException.BackendUnavailable _ -> new S3Error(503, "ServiceUnavailable", message);
            case StoreException.BackendDenied _ -> new S3Error(403, "AccessDenied", message);
            case StoreException.Unavailable _ -> new S3Error(503, "ServiceUnavailable", message);
        };
    }
}
