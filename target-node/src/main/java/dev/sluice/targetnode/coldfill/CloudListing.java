package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.BackendPage;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.s3.listing.ListedObject;
import java.util.ArrayList;
import java.util.List;

/// A cloud bucket's keys, in pages as large as they are asked for.
public final class CloudListing {
    private final BucketBackends backends;

    public CloudListing(BucketBackends backends) {
        this.backends = backends;
    }

    /// Keys that begin with the prefix and are not less than `from`; fewer than `limit` only when there are no more.
    public List<ListedObject> list(Bucket bucket, String prefix, String from, int limit) {
        var backend = backends.of(bucket);
        var listed = new ArrayList<ListedObject>();
        var after = "";
        if (from.endsWith("\0")) {
            after = from.substring(0, from.length() - 1);
        } else if (KeyOrder.INSTANCE.compare(from, prefix) > 0) {
            after = from; // clouds list what is greater: ask for the key itself apart
            add(
                    listed,
                    backend.list(from, "", "", 1).entries().stream()
                            .filter(entry -> entry.key().equals(from))
                            .toList());
        }
        while (listed.size() < limit) {
            var page = backend.list(prefix, "", after, limit - listed.size());
            add(listed, page.entries());
            if (page.next().isEmpty()) {
                break;
            }
            after = page.next().get();
        }
        return listed;
    }

    private static void add(List<ListedObject> listed, List<BackendPage.Entry> entries) {
        for (var entry : entries) {
            listed.add(new ListedObject(entry.key(), entry.size(), entry.etag(), entry.lastModified()));
        }
    }
}
