package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The head of an HTTP request → the S3 action it asks for, or an [S3Failure]. The same on every node; in two steps,
/// so that signatures and rights are checked between them. Never blocks, and a plain GET costs a few short strings.
///
/// Path style (`/bucket/key`, also `/s3/bucket/key`), and virtual-host style below each base domain that
/// is configured. What S3 has and we do not serve is refused with NotImplemented ([NotServed] has the list); a
/// method that makes no action is a 405.
public final class S3RequestParser {
    /// The longest first: of `a.s3.example.com` below `s3.example.com` and `example.com` the bucket is `a`.
    private final List<String> hostSuffixes;

    /// Path style only.
    public S3RequestParser() {
        this(List.of());
    }

    /// @param baseDomains `s3.example.com` makes the Host `bucket.s3.example.com` name a bucket; a base domain itself
    ///     names none
    public S3RequestParser(Collection<String> baseDomains) {
        this.hostSuffixes = baseDomains.stream()
                .map(domain -> "." + domain.toLowerCase(Locale.ROOT))
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
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
        if (hostSuffixes.isEmpty()) {
            return Optional.empty();
        }
        var host = headers.first("host");
        return host.isEmpty() ? host : bucketOf(host.get());
    }

    private Optional<String> bucketOf(String host) {
        int colon = host.lastIndexOf(':');
        int end = colon < 0 ? host.length() : colon;
        for (var suffix : hostSuffixes) {
            int bucket = end - suffix.length();
            if (bucket > 0 && host.regionMatches(true, bucket, suffix, 0, suffix.length())) {
                return Optional.of(host.substring(0, bucket).toLowerCase(Locale.ROOT));
            }
            if (bucket == -1 && host.regionMatches(true, 0, suffix, 1, end)) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }
}
