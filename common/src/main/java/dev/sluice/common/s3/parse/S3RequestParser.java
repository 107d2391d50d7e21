package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import java.util.Locale;
import java.util.Optional;

/// The head of an HTTP request → the S3 action it asks for, or an [S3Failure]. The same on every node; in two
/// steps, so that signatures and rights are checked between them. Never blocks, and a plain GET costs a few short
/// strings.
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

    /// What the URI says; who sends it can be asked before the rest is read.
    ///
    /// @throws S3Failure for a URI that is none
    public UnreadRequest open(RequestHead head) {
        return UnreadRequest.of(head, hostBucket(head.headers()));
    }

    /// All of it, whoever sends it.
    public S3Request parse(RequestHead head) {
        return open(head).read();
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
}
