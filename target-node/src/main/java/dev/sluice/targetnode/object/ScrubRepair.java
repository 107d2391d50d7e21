package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.scrub.Repair;
import java.util.Optional;

/// What a scrub does about a damaged copy: the same as a GET that meets it, but only where the cloud still has the
/// object, for nobody has asked for it.
final class ScrubRepair implements Repair {
    private final ClusterViews views;
    private final DamagedCopies copies;

    ScrubRepair(ClusterViews views, DamagedCopies copies) {
        this.views = views;
        this.copies = copies;
    }

    @Override
    public boolean drop(BucketRef bucket, String key, Optional<ObjectVersion> damaged) {
        var known = views.current().bucket(bucket.name()).filter(each -> each.id() == bucket.id() && each.backed());
        if (known.isEmpty() || !copies.isInCloud(known.get(), key)) {
            return false;
        }
        copies.drop(known.get(), key, damaged);
        return true;
    }
}
