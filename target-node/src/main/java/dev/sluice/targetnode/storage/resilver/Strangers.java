package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The buckets of a drive's objects, asked for once for some keys; and those that are in no table.
final class Strangers {
    private static final Logger LOG = LoggerFactory.getLogger(Strangers.class);

    private final String drive;
    private final KnownBuckets buckets;
    private final Map<Long, Optional<BucketRef>> known = new HashMap<>();
    private final Set<Long> strangers = new HashSet<>();

    Strangers(String drive, KnownBuckets buckets) {
        this.drive = drive;
        this.buckets = buckets;
    }

    /// What was known may have changed.
    void refresh() {
        known.clear();
    }

    /// @return empty for a stranger
    Optional<BucketRef> bucket(long id) {
        var bucket = known.computeIfAbsent(id, buckets::withId);
        if (bucket.isEmpty() && strangers.add(id)) {
            LOG.warn("drive {} has objects of bucket {}, which is in no table: they stay", drive, id);
        }
        return bucket;
    }
}
