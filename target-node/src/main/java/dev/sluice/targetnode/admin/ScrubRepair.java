package dev.sluice.targetnode.admin;

import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.object.DamagedCopies;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.scrub.Repair;
import java.util.Optional;

/// What a scrub does about a damaged copy: the same as a GET that meets it, but it drops one only where the cloud still
/// has the object, for nobody has asked for it.
final class ScrubRepair implements Repair {
    private final ClusterViews views;
    private final DamagedCopies copies;

    ScrubRepair(ClusterViews views, DamagedCopies copies) {
        this.views = views;
        this.copies = copies;
    }

    @Override
    public Optional<ScrubFinding.Action> repair(
            BucketRef bucket, String key, String drive, Optional<ObjectVersion> damaged) {
        if (copies.mend(bucket, key, drive)) {
            return Optional.of(ScrubFinding.Action.COPIED);
        }
        var known = views.current().bucket(bucket.name()).filter(each -> each.id() == bucket.id() && each.backed());
        if (known.isEmpty() || !copies.isInCloud(known.get(), key)) {
            return Optional.empty();
        }
        copies.drop(known.get(), key, damaged);
        return Optional.of(ScrubFinding.Action.DROPPED);
    }
}
