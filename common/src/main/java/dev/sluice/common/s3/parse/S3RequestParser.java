package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import java.util.Locale;
import java.util.Optional;

/// The head of an HTTP request → the S3 action it asks for, or an [S3Failure]. The same on every node, before
/// authentication; never blocks, and a plain GET costs a few short strings.
///
/// Path style (`/bucket/key`, also `/s3/bucket/key`), and virtual-host style below a base domain when one is
/// configured. What S3 has and we do not serve is refused with NotImplemented ([NotServed] has the list); a
/// method that makes no action is a 405.
public final class S3RequestParser {
    private final Optional<String> hostSuffix;

    /// Path style only.
    public S3RequestParser() {
        this.hostSuffix = Optional.empty();
    }

    /// @param baseDomain `s3.example.com` makes the Host `bucket.s3.example.com` name a bucket
    public S3RequestParser(String baseDomain) {
        this.hostSuffix = Optional.of("." + baseDomain.toLowerCase(Locale.ROOT));
    }

    public S3Request parse(RequestHead head) {
        var query = Query.parse(head.query());
        var headers = query.withHeadersInQuery(head.headers());
        var address = Address.of(head, hostBucket(head.headers()));
        var question =
                head.method().equals("GET") ? SettingRequests.parse(address, query) : Optional.<S3Request>empty();
        if (question.isPresent()) {
            return question.get();
        }
        NotServed.refuseParameters(query);
        return switch (address) {
            case Address.Key(var name) -> ObjectRequests.parse(head.method(), name, query, headers);
            case Address.Bucket(var bucket) -> BucketRequests.parse(head.method(), bucket, query, headers);
            case Address.Service() -> service(head.method(), query);
        };
    }

    /// The bucket named by the Host header. When there is one, the whole path is a key: not even `/v1/…` is ours.
    public Optional<String> hostBucket(Headers headers) {
        if (hostSuffix.isEmpty()) {
            return Optional.empty();
        }
        var suffix = hostSuffix.get();
        return headers.first("host").flatMap(host -> {
            int colon = host.lastIndexOf(':');
            int end = colon < 0 ? host.length() : colon;
            int bucket = end - suffix.length();
            return bucket > 0 && host.regionMatches(true, bucket, suffix, 0, suffix.length())
                    ? Optional.of(host.substring(0, bucket).toLowerCase(Locale.ROOT))
                    : Optional.empty();
        });
    }

    /// max-buckets is accepted, and all buckets are on the one page: clients that page are content with that.
    private static S3Request service(String method, Query query) {
        if (!method.equals("GET")) {
            throw S3Failure.methodNotAllowed("GET");
        }
        SubResource.of(query).only(SubResource.NONE, "GET");
        for (var filter : new String[] {"prefix", "continuation-token", "bucket-region"}) {
            if (!query.text(filter).isEmpty()) {
                throw S3Failure.notImplemented(filter + " of ListBuckets");
            }
        }
        return new S3Request.ListBuckets();
    }
}
