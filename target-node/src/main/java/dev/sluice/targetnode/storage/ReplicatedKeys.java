package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Which drives have objects of replicated buckets. Those are moved only with the table of slots, so a drive that has
/// some cannot leave its target.
final class ReplicatedKeys {
    private volatile Optional<KnownBuckets> buckets = Optional.empty();

    /// To be called once the cluster's buckets can be asked for. Before that, none is replicated.
    void know(KnownBuckets known) {
        buckets = Optional.of(known);
    }

    /// Blocks.
    ///
    /// @return empty when the drive has nothing of replicated buckets
    /// @throws dev.sluice.common.store.StoreException.Unavailable while the cluster's buckets are not known
    Optional<String> whyItStays(Drive drive) {
        var names = drive.call(() -> bucketsIn(drive.contents())).stream()
                .flatMap(this::replicated)
                .map(BucketRef::name)
                .toList();
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "drive %s has replicas of bucket %s, which cannot be moved from it yet: remove its objects"
                                        .formatted(drive.id(), String.join(" and ", names))
                                + ", or leave the drive attached");
    }

    private Stream<BucketRef> replicated(long bucketId) {
        return buckets.flatMap(known -> known.withId(bucketId)).filter(BucketRef::replicated).stream();
    }

    /// One look for each bucket, whatever it has.
    private static List<Long> bucketsIn(Contents contents) throws IOException {
        var ids = new TreeSet<Long>();
        for (var table : List.of(Table.OBJECTS, Table.KEYLESS)) {
            boolean[] found = {true};
            for (long from = 0; found[0]; ) {
                long[] id = {0};
                found[0] = false;
                contents.index().scan(table, IndexKeys.number(from), (key, _) -> {
                    id[0] = IndexKeys.number(key);
                    found[0] = true;
                    return false;
                });
                if (found[0]) {
                    ids.add(id[0]);
                    from = id[0] + 1;
                }
            }
        }
        return List.copyOf(ids);
    }
}
