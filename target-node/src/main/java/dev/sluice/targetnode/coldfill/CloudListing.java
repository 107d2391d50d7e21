package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendPage;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.ListingPage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A cloud bucket's keys, in pages as large as they are asked for. The cloud folds what the delimiter folds.
public final class CloudListing {
    private static final Comparator<ListedObject> ORDER = Comparator.comparing(ListedObject::key, KeyOrder.INSTANCE);

    private final BucketBackends backends;

    public CloudListing(BucketBackends backends) {
        this.backends = backends;
    }

    public List<ListedObject> list(Bucket bucket, ListQuery query) {
        var backend = backends.of(bucket);
        var listed = new ArrayList<ListedObject>();
        var after = begin(backend, query, listed);
        while (listed.size() < query.limit() && after.isPresent()) {
            var page = backend.list(query.prefix(), query.delimiter(), after.get(), query.limit() - listed.size());
            listed.addAll(listed(page));
            after = page.next();
        }
        return listed;
    }

    /// Clouds list what is greater, and say nothing of keys behind the first one in the middle of what they fold.
    ///
    /// @param listed gets what there is before the rest
    /// @return what the rest is greater than; nothing when there is no more
    private static Optional<String> begin(Backend backend, ListQuery query, List<ListedObject> listed) {
        var from = query.from();
        if (from.isEmpty() || KeyOrder.INSTANCE.compare(from, query.prefix()) <= 0) {
            return Optional.of("");
        }
        boolean justAfter = from.endsWith("\0");
        var after = justAfter ? from.substring(0, from.length() - 1) : from;
        int fold = ListingPage.fold(after, query.prefix(), query.delimiter());
        boolean within = after.startsWith(query.prefix()) && fold >= 0;
        if (!justAfter) {
            exactly(backend, after).ifPresent(listed::add);
        }
        if (!within) {
            return Optional.of(after);
        }
        var group = after.substring(0, fold);
        if (listed.isEmpty()) {
            backend.list(group, "", after, 1).entries().stream()
                    .map(CloudListing::object)
                    .forEach(listed::add);
        }
        return Optional.of(group);
    }

    private static Optional<ListedObject> exactly(Backend backend, String key) {
        return backend.list(key, "", "", 1).entries().stream()
                .filter(entry -> entry.key().equals(key))
                .map(CloudListing::object)
                .findFirst();
    }

    /// Of what is folded only the common prefix is known.
    private static List<ListedObject> listed(BackendPage page) {
        var folded = page.commonPrefixes().stream().map(prefix -> new ListedObject(prefix, 0, "", Instant.EPOCH));
        var entries = page.entries().stream().map(CloudListing::object);
        return Stream.concat(entries, folded).sorted(ORDER).toList();
    }

    private static ListedObject object(BackendPage.Entry entry) {
        return new ListedObject(entry.key(), entry.size(), entry.etag(), entry.lastModified());
    }
}
