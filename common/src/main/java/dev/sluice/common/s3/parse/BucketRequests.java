package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.S3Action;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Header;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ContinuationToken;
import java.util.Optional;

/// The actions on a bucket, and the list of buckets.
final class BucketRequests {
    private BucketRequests() {}

    static S3Request parse(S3Action action, String bucket, Query query, Headers headers) {
        if (action == S3Action.CREATE_BUCKET) {
            NotServed.refuseBucketAcl(headers);
        }
        headers.forEach(NotServed.refusing(S3Header.In.OTHER));
        return switch (action) {
            case CREATE_BUCKET -> {
                BucketName.checkNew(bucket);
                yield new S3Request.CreateBucket(bucket);
            }
            case HEAD_BUCKET -> new S3Request.HeadBucket(bucket);
            case DELETE_BUCKET -> new S3Request.DeleteBucket(bucket);
            case LIST_OBJECTS -> list(bucket, query);
            case LIST_OBJECT_VERSIONS -> versions(bucket, query);
            case LIST_MULTIPART_UPLOADS -> uploads(bucket, query);
            case DELETE_OBJECTS ->
                new S3Request.DeleteObjects(
                        bucket, ChecksumHeaders.values(headers, false), ChecksumHeaders.contentMd5(headers));
            case GET_BUCKET_LOCATION -> new S3Request.GetBucketLocation(bucket);
            case GET_BUCKET_VERSIONING -> new S3Request.GetBucketVersioning(bucket);
            case PUT_BUCKET_ACL -> {
                NotServed.requireOwnersAcl(headers);
                yield new S3Request.PutBucketAcl(bucket);
            }
            default ->
                action.setting()
                        .<S3Request>map(setting -> new S3Request.GetBucketSetting(bucket, setting, query.first("id")))
                        .orElseGet(() -> ofDocument(action, bucket, headers));
        };
    }

    private static S3Request ofDocument(S3Action action, String bucket, Headers headers) {
        var document = BucketDocument.of(action.parameter())
                .orElseThrow(() -> new IllegalStateException(action + " is not on a bucket"));
        return switch (action.method()) {
            case "GET" -> new S3Request.GetBucketDocument(bucket, document);
            case "PUT" ->
                new S3Request.PutBucketDocument(
                        bucket, document, ChecksumHeaders.values(headers, false), ChecksumHeaders.contentMd5(headers));
            case "DELETE" -> new S3Request.DeleteBucketDocument(bucket, document);
            default -> throw new IllegalStateException(action + " is not on a document");
        };
    }

    /// ListBuckets.
    static S3Request list(Query query) {
        return new S3Request.ListBuckets(
                query.text("prefix"),
                position(query).orElse(""),
                Numbers.bucketPageSize(query),
                query.first("bucket-region").filter(region -> !region.isEmpty()));
    }

    /// What the continuation token stands for. An empty one is the beginning, as in S3.
    private static Optional<String> position(Query query) {
        return query.first("continuation-token").filter(text -> !text.isEmpty()).map(ContinuationToken::decode);
    }

    private static S3Request list(String bucket, Query query) {
        var type = query.text("list-type");
        if (!type.isEmpty() && !type.equals("1") && !type.equals("2")) {
            throw S3Failure.invalidArgument("list-type", type, "Invalid list-type specified in Request: " + type);
        }
        boolean v2 = type.equals("2");
        var token = v2 ? query.first("continuation-token") : Optional.<String>empty();
        var startAfter = v2 ? query.first("start-after") : Optional.<String>empty();
        var position = v2 ? position(query) : Optional.<String>empty();
        var after = v2 ? position.or(() -> startAfter).orElse("") : query.text("marker");
        return new S3Request.ListObjects(
                bucket,
                v2,
                query.text("prefix"),
                query.text("delimiter"),
                after,
                startAfter,
                token,
                Numbers.pageSize(query, "max-keys"),
                encodeKeys(query),
                !v2 || query.text("fetch-owner").equalsIgnoreCase("true"));
    }

    private static S3Request versions(String bucket, Query query) {
        if (query.has("version-id-marker") && !query.has("key-marker")) {
            throw S3Failure.invalidArgument(
                    "version-id-marker",
                    query.text("version-id-marker"),
                    "A version-id marker cannot be specified without a key marker.");
        }
        return new S3Request.ListObjectVersions(
                bucket,
                query.text("prefix"),
                query.text("delimiter"),
                query.text("key-marker"),
                Numbers.pageSize(query, "max-keys"),
                encodeKeys(query));
    }

    private static S3Request uploads(String bucket, Query query) {
        return new S3Request.ListMultipartUploads(
                bucket,
                query.text("prefix"),
                query.text("delimiter"),
                query.text("key-marker"),
                query.text("upload-id-marker"),
                Numbers.pageSize(query, "max-uploads"),
                encodeKeys(query));
    }

    private static boolean encodeKeys(Query query) {
        var type = query.text("encoding-type");
        if (!type.isEmpty() && !type.equalsIgnoreCase("url")) {
            throw S3Failure.invalidArgument("encoding-type", type, "Invalid Encoding Method specified in Request");
        }
        return !type.isEmpty();
    }
}
