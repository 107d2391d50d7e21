package dev.sluice.targetnode.storage.copies;

import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.listing.Listing;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.List;
import java.util.Optional;

/// What the drives of this target have of a bucket, while keys are moved from drive to drive.
final class LocalKeys {
    private final Drives drives;
    private final KeyCommitter committer;

    LocalKeys(Drives drives, KeyCommitter committer) {
        this.drives = drives;
        this.committer = committer;
    }

    List<ListEntry> list(long bucketId, ListQuery query) {
        long moves = committer.moves();
        var page = page(bucketId, query);
        return committer.moves() == moves ? page : Listing.either(page, page(bucketId, query), query.limit());
    }

    private List<ListEntry> page(long bucketId, ListQuery query) {
        return Listing.list(
                drives.allToRead(bucketId), drives.isEven(bucketId), key -> newest(bucketId, key), bucketId, query);
    }

    private Optional<ObjectEntry> newest(long bucketId, String key) {
        try (var _ = committer.publishing().lock(new ObjectKey(bucketId, key))) {
            return Finder.certain(Finder.look(drives.of(bucketId, key), bucketId, key))
                    .entry();
        }
    }

    boolean isEmpty(long bucketId, boolean uploadsCount) {
        return !hasObjects(bucketId) && !(uploadsCount && hasUploads(bucketId));
    }

    private boolean hasUploads(long bucketId) {
        return drives.allToRead().stream()
                .anyMatch(drive -> drive.call(() -> !drive.uploads().isEmpty(bucketId)));
    }

    private boolean hasObjects(long bucketId) {
        long moves = committer.moves();
        return seemToBeObjects(bucketId) || (committer.moves() != moves && seemToBeObjects(bucketId));
    }

    private boolean seemToBeObjects(long bucketId) {
        return drives.allToRead().stream()
                .anyMatch(drive -> drive.call(() -> !drive.store().isEmpty(bucketId)));
    }
}
