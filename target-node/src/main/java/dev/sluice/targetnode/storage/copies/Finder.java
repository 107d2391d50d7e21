package dev.sluice.targetnode.storage.copies;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.health.Whereabouts;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Compares what drives know of a key. Blocks: for virtual threads.
public final class Finder {
    private Finder() {}

    /// Asks the indexes of all drives that may have the key and can be read.
    public static Sighting look(Whereabouts where, long bucketId, String key) {
        var readable = where.readable();
        if (readable.isEmpty()) {
            throw where.unavailable();
        }
        var asked = readable.stream()
                .map(drive -> drive.start(() -> new Known(
                        drive, drive.store().entry(bucketId, key), drive.marks().note(bucketId, key))))
                .toList();
        var known = new ArrayList<Known>();
        asked.forEach(each -> known.add(Await.whole(each)));
        var newest = known.stream()
                .filter(each -> !each.isNothing())
                .map(Known::newest)
                .max(Comparator.naturalOrder());
        return new Sighting(List.copyOf(known), newest, doubt(where, known, newest));
    }

    /// One drive that has seen the newest and took part in all changes since is enough.
    private static Optional<String> doubt(Whereabouts where, List<Known> known, Optional<ObjectVersion> newest) {
        var seers = newest.stream()
                .flatMap(version -> known.stream().filter(each -> each.newest().equals(version)))
                .map(each -> Optional.of(each.drive().id()))
                .toList();
        var doubt = where.doubt(Optional.empty());
        for (var seer : seers) {
            doubt = doubt.isEmpty() ? doubt : where.doubt(seer);
        }
        return doubt.or(() -> where.missed(newest));
    }

    /// The newest copies of a key, the least busy drive first.
    ///
    /// @return empty when there is none
    /// @throws StoreException.Unavailable when that cannot be known now
    private static List<Drive> newest(Whereabouts where, long bucketId, String key) {
        return certain(look(where, bucketId, key)).copies();
    }

    public static Sighting certain(Sighting seen) {
        seen.doubt().ifPresent(why -> {
            throw new StoreException.Unavailable("what is stored under this key cannot be known now: " + why);
        });
        return seen;
    }

    /// Judges a change by what it would replace; where nothing is asked, nothing is looked for.
    public static void check(WriteCheck check, Whereabouts where, BucketRef bucket, String key) {
        if (check.asks()) {
            check.check(present(where, bucket, key));
        }
    }

    /// The same by what one drive has. On its threads.
    public static void check(WriteCheck check, Drive drive, BucketRef bucket, String key) throws IOException {
        if (check.asks()) {
            check.check(drive.store().present(bucket, key));
        }
    }

    private static Optional<ObjectRecord> present(Whereabouts where, BucketRef bucket, String key) {
        var copies = where.isEven() ? where.toRead() : newest(where, bucket.id(), key);
        Optional<StoreException.Damaged> damaged = Optional.empty();
        for (var drive : copies) {
            try {
                var record = drive.call(() -> drive.store().present(bucket, key));
                if (record.isPresent()) {
                    return record;
                }
            } catch (StoreException.Damaged wrong) {
                damaged = Optional.of(wrong);
            }
        }
        if (damaged.isPresent()) {
            throw damaged.get();
        }
        return Optional.empty();
    }
}
