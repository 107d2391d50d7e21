package dev.sluice.targetnode.coldfill;

import dev.sluice.common.cluster.Bucket;
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
        var after = before(from);
        while (listed.size() < limit) {
            var page = backend.list(prefix, "", after, limit - listed.size());
            for (var entry : page.entries()) {
                if (!entry.key().equals(from) || !after.equals(from)) {
                    listed.add(new ListedObject(entry.key(), entry.size(), entry.etag(), entry.lastModified()));
                }
            }
            if (page.next().isEmpty()) {
                break;
            }
            after = page.next().get();
        }
        return listed;
    }
}
