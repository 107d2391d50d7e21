package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import java.util.ArrayList;
import java.util.Optional;

/// Which drives have objects that the resilver leaves where they are, and so cannot leave their target: objects of
/// replicated buckets, which are moved only with the table of slots, and of buckets that are in no table.
final class StayingKeys {
    private volatile Optional<KnownBuckets> buckets = Optional.empty();

    /// To be called once the cluster's buckets can be asked for. Before that, none is replicated.
    void know(KnownBuckets known) {
        buckets = Optional.of(known);
    }

    /// Blocks.
    ///
    /// @return empty when the drive has nothing of replicated buckets, or of buckets that the cluster does not know
    /// @throws dev.sluice.common.store.StoreException.Unavailable while the cluster's buckets are not known
    Optional<String> whyItStays(Drive drive) {
        if (buckets.isEmpty()) {
            return Optional.empty();
        }
        var replicated = new ArrayList<String>();
        var unknown = new ArrayList<String>();
        for (long id : drive.call(drive.store()::buckets)) {
            var bucket = buckets.get().withId(id);
            if (bucket.isEmpty()) {
                unknown.add(Long.toString(id));
            } else if (!bucket.get().isLocal()) {
                replicated.add(bucket.get().name());
            }
        }
        if (!replicated.isEmpty()) {
            return Optional.of("drive %s has replicas of bucket %s, which cannot be moved from it yet: %s"
                    .formatted(
                            drive.id(),
                            String.join(" and ", replicated),
                            "remove its objects, or leave the drive attached"));
        }
        return unknown.isEmpty()
                ? Optional.empty()
                : Optional.of("drive %s has objects of bucket number %s, which the cluster does not know: %s"
                        .formatted(
                                drive.id(),
                                String.join(" and ", unknown),
                                "leave the drive attached, or give them up: 'sluice drive disable', then 'sluice drive"
                                        + " detach --lost'"));
    }
}
