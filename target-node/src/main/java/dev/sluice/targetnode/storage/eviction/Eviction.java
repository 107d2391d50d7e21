package dev.sluice.targetnode.storage.eviction;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// Chooses and deletes the copies of one drive that were not used for longest.
///
/// One pass through the index makes a histogram of ages, which tells from which age on copies go; a second one
/// deletes them, in groups. So memory does not depend on the number of objects, and the order is that of last use to
/// within a minute (of what was not used for long, to within a sixty-fourth of that time).
///
/// A copy goes only when its bucket has a backend and its own record, read under the key's lock, says which version
/// the backend has; when it is the one that was chosen; and when nobody is changing, opening or reading it. The
/// deletion is synced: after a write of the key, a loss of power must not bring the old copy back.
final class Eviction {
    private static final int GROUP = 128;
    private static final int PASSES = 3;

    /// How much went.
    record Freed(long objects, long bytes) {
        static final Freed NOTHING = new Freed(0, 0);
    }

    private final Drive drive;
    private final KeyCommitter committer;
    private final CachedBuckets buckets;
    private final Copies.Measure measure;
    private final BooleanSupplier stopped;
    private final BooleanSupplier relieved;
    private Freed freed = Freed.NOTHING;
    private long spared;
    private long strays;

    private Eviction(
            Drive drive,
            KeyCommitter committer,
            CachedBuckets buckets,
            Copies.Measure measure,
            BooleanSupplier stopped,
            BooleanSupplier relieved) {
        this.drive = drive;
        this.committer = committer;
        this.buckets = buckets;
        this.measure = measure;
        this.stopped = stopped;
        this.relieved = relieved;
    }

    /// To make room on the drive.
    static Eviction forRoom(Drive drive, KeyCommitter committer, CachedBuckets buckets, BooleanSupplier stopped) {
        return new Eviction(drive, committer, buckets, Copies.Measure.ROOM, stopped, drive.space()::isRelieved);
    }

    /// To make one bucket smaller, however much room there is.
    static Eviction of(Drive drive, KeyCommitter committer, BucketRef bucket, BooleanSupplier stopped) {
        return new Eviction(drive, committer, () -> List.of(bucket), Copies.Measure.BYTES, stopped, () -> false);
    }

    /// What the latest run freed, also when it broke off.
    Freed freed() {
        return freed;
    }

    /// Whether the latest run left copies alone that may go when nobody uses them.
    boolean sparedSome() {
        return spared > strays;
    }

    /// Frees this many bytes, or all there are to free. For copies that were chosen and had to stay others go: at once
    /// where they are of the same age, else in another pass.
    Freed run(long bytes) throws IOException {
        freed = Freed.NOTHING;
        spared = 0;
        boolean all = false;
        for (int pass = 0; pass < PASSES && freed.bytes < bytes && !all && !mayEnd(); pass++) {
            drive.accessTimes().flush();
            var cached = buckets.now();
            var ages = ages(cached);
            var cut = ages.cut(bytes - freed.bytes + spared);
            spared = 0;
            strays = 0;
            new Pass(ages, cut).run(cached);
            all = cut.all();
        }
        return freed;
    }

    private boolean mayEnd() {
        return stopped.getAsBoolean() || relieved.getAsBoolean();
    }

    private AgeHistogram ages(List<BucketRef> cached) throws IOException {
        var ages = new AgeHistogram(drive.accessTimes().minute());
        new Copies(drive.store(), drive.accessTimes(), measure).visit(cached, page -> {
            page.forEach(copy -> ages.add(copy.read(), copy.size()));
            return !stopped.getAsBoolean();
        });
        return ages;
    }

    /// The second look at the index: deletes what lies beyond the cut.
    private final class Pass {
        private final AgeHistogram ages;
        private final AgeHistogram.Cut cut;
        private final List<Copies.Copy> chosen = new ArrayList<>(GROUP);
        private long ofClass;

        Pass(AgeHistogram ages, AgeHistogram.Cut cut) {
            this.ages = ages;
            this.cut = cut;
            this.ofClass = cut.ofClass();
        }

        void run(List<BucketRef> cached) throws IOException {
            new Copies(drive.store(), drive.accessTimes(), measure).visit(cached, page -> {
                for (var copy : page) {
                    choose(copy);
                }
                return !mayEnd();
            });
            deleteChosen();
        }

        private void choose(Copies.Copy copy) throws IOException {
            int age = ages.ageClass(copy.read());
            if (age == cut.ageClass() && ofClass > 0) {
                ofClass -= copy.size();
                chosen.add(copy);
            } else if (age > cut.ageClass()) {
                chosen.add(copy);
            }
            if (chosen.size() == GROUP) {
                deleteChosen();
            }
        }

        private void deleteChosen() throws IOException {
            long before = spared;
            deleteGroup(chosen);
            ofClass += spared - before;
            chosen.clear();
        }
    }

    private void deleteGroup(List<Copies.Copy> group) throws IOException {
        Map<ObjectKey, Copies.Copy> copies = new HashMap<>();
        group.forEach(copy -> copies.put(copy.key(), copy));
        var gone = new HashSet<>(committer.commitIdle(
                drive, List.copyOf(copies.keySet()), key -> deletion(Objects.requireNonNull(copies.get(key)))));
        for (var copy : group) {
            if (gone.contains(copy.key())) {
                freed = new Freed(freed.objects + 1, freed.bytes + copy.size());
            } else {
                spared += copy.size();
            }
        }
        drive.space().refresh();
    }

    private Optional<Prepared> deletion(Copies.Copy copy) throws IOException {
        if (drive.accessTimes().isJustRead(copy.key())) {
            return Optional.empty();
        }
        var record = record(copy);
        if (record.isEmpty() || record.get().backendVersion().isEmpty()) {
            forget(copy);
            return Optional.empty();
        }
        return record.get().version().equals(copy.version())
                ? Optional.of(Prepared.deletion(
                        copy.bucket(), copy.key().key(), committer.versions().next(), true))
                : Optional.empty();
    }

    private Optional<ObjectRecord> record(Copies.Copy copy) throws IOException {
        try {
            return drive.store().present(copy.bucket(), copy.key().key());
        } catch (StoreException.Damaged _) {
            return Optional.empty(); // what is there cannot be told: a reader of it decides
        }
    }

    /// It is no copy, though one was there before: its time goes, so that it is not chosen again.
    private void forget(Copies.Copy copy) throws IOException {
        strays += copy.size();
        var key = IndexKeys.object(copy.bucket().id(), copy.key().key());
        drive.accessTimes().enter(Map.of(), List.of(key));
    }
}
