package dev.sluice.backend.s3;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendCalls;
import dev.sluice.backend.BackendPage;
import dev.sluice.common.s3.listing.KeyOrder;
import java.util.ArrayList;
import java.util.Optional;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;

/// ListObjectsV2, a page at a time and from any key: no token of the cloud's has to be kept.
final class S3Listing {
    private final BackendAddress address;
    private final S3Client client;
    private final BackendCalls calls;

    S3Listing(BackendAddress address, S3Client client, BackendCalls calls) {
        this.address = address;
        this.client = client;
        this.calls = calls;
    }

    BackendPage list(String prefix, String delimiter, String after, int max) {
        var from = after;
        while (true) {
            var page = page(request(prefix, delimiter, from, max), from);
            boolean nothing = page.entries().isEmpty() && page.commonPrefixes().isEmpty();
            if (!nothing || page.next().isEmpty()) {
                return page;
            }
            from = page.next().get();
        }
    }

    private ListObjectsV2Response request(String prefix, String delimiter, String after, int max) {
        return calls.run(
                "list",
                prefix,
                () -> client.listObjectsV2(request -> {
                    request.bucket(address.bucket())
                            .prefix(address.prefix() + prefix)
                            .maxKeys(Math.min(max, 1000));
                    if (!delimiter.isEmpty()) {
                        request.delimiter(delimiter);
                    }
                    if (!after.isEmpty()) {
                        boolean rolledUp =
                                !delimiter.isEmpty() && after.endsWith(delimiter) && after.length() > prefix.length();
                        request.startAfter(address.prefix() + (rolledUp ? KeyOrder.lastWithin(after) : after));
                    }
                }));
    }

    /// What the cloud sent, less what is not after `after`: a key that begins with U+10FFFF behind a common prefix
    /// already given makes S3 give that prefix again.
    private BackendPage page(ListObjectsV2Response answer, String after) {
        var entries = new ArrayList<BackendPage.Entry>();
        var last = after;
        for (var each : answer.contents()) {
            var key = each.key().substring(address.prefix().length());
            last = later(last, key);
            if (KeyOrder.INSTANCE.compare(key, after) > 0) {
                entries.add(
                        new BackendPage.Entry(key, each.size(), S3Objects.unquoted(each.eTag()), each.lastModified()));
            }
        }
        var prefixes = new ArrayList<String>();
        for (var each :
                answer.commonPrefixes().stream().map(CommonPrefix::prefix).toList()) {
            var prefix = each.substring(address.prefix().length());
            last = later(last, prefix);
            if (KeyOrder.INSTANCE.compare(prefix, after) > 0) {
                prefixes.add(prefix);
            }
        }
        boolean more = Boolean.TRUE.equals(answer.isTruncated()) && !last.equals(after);
        return new BackendPage(entries, prefixes, more ? Optional.of(last) : Optional.empty());
    }

    private static String later(String one, String other) {
        return KeyOrder.INSTANCE.compare(one, other) >= 0 ? one : other;
    }
}
