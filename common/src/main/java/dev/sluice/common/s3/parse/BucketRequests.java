package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ContinuationToken;
import java.util.Optional;

/// The actions on a bucket.
final class BucketRequests {
    private BucketRequests() {}

    static S3Request parse(String method, String bucket, Query query, Headers headers) {
        if (method.equals("PUT")) {
            NotServed.refuseBucketAcl(headers);
        }
        headers.forEach(NotServed::refuseHeader);
        return switch (SubResource.of(query)) {
            case NONE -> plain(method, bucket, query);
            case LOCATION -> {
                allow(method, "GET");
                yield new S3Request.GetBucketLocation(bucket);
            }
            case VERSIONING -> versioning(method, bucket);
            case POLICY -> policy(method, bucket);
            case UPLOADS -> {
                allow(method, "GET");
                yield uploads(bucket, query);
            }
            case DELETE -> {
                allow(method, "POST");
                yield new S3Request.DeleteObjects(
                        bucket, ChecksumHeaders.values(headers, false), ChecksumHeaders.contentMd5(headers));
            }
            case UPLOAD_ID -> throw S3Failure.invalidArgument("uploadId needs a key, not only a bucket");
        };
    }

    private static S3Request plain(String method, String bucket, Query query) {
        return switch (method) {
            case "GET" -> list(bucket, query);
            case "HEAD" -> new S3Request.HeadBucket(bucket);
            case "PUT" -> {
                BucketName.checkNew(bucket);
                yield new S3Request.CreateBucket(bucket);
            }
            case "DELETE" -> new S3Request.DeleteBucket(bucket);
            case "POST" -> throw S3Failure.notImplemented("uploads by HTML forms (POST to a bucket)");
            default -> throw S3Failure.methodNotAllowed("GET, HEAD, PUT, POST, DELETE");
        };
    }

    private static S3Request versioning(String method, String bucket) {
        return switch (method) {
            case "GET" -> new S3Request.GetBucketVersioning(bucket);
            case "PUT" -> throw S3Failure.notImplemented("versions of objects (PutBucketVersioning)");
            default -> throw S3Failure.methodNotAllowed("GET");
        };
    }

    private static S3Request policy(String method, String bucket) {
        return switch (method) {
            case "GET" -> new S3Request.GetBucketPolicy(bucket);
            case "PUT" -> new S3Request.PutBucketPolicy(bucket);
            case "DELETE" -> new S3Request.DeleteBucketPolicy(bucket);
            default -> throw S3Failure.methodNotAllowed("GET, PUT, DELETE");
        };
    }

    private static S3Request list(String bucket, Query query) {
        var type = query.text("list-type");
        if (!type.isEmpty() && !type.equals("1") && !type.equals("2")) {
            throw S3Failure.invalidArgument("Invalid list-type specified in Request: " + type);
        }
        boolean v2 = type.equals("2");
        var token = v2 ? query.first("continuation-token") : Optional.<String>empty();
        var startAfter = v2 ? query.first("start-after") : Optional.<String>empty();
        // An empty token is the beginning, as in S3.
        var position = token.filter(text -> !text.isEmpty()).map(ContinuationToken::decode);
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

    static S3Request versions(String bucket, Query query) {
        if (query.has("version-id-marker") && !query.has("key-marker")) {
            throw S3Failure.invalidArgument("A version-id marker cannot be specified without a key marker.");
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
            throw S3Failure.invalidArgument("Invalid Encoding Method specified in Request");
        }
        return !type.isEmpty();
    }

    private static void allow(String method, String allowed) {
        if (!method.equals(allowed)) {
            throw S3Failure.methodNotAllowed(allowed);
        }
    }
}
