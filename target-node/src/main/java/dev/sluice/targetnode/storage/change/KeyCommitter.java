package dev.sluice.targetnode.storage.change;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.health.Ahead;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a key is changed: one change at a time, prepared beside readers, and published so that no reader gets what
/// was there before once the change is acknowledged.
public final class KeyCommitter {
    /// One drive's part of a change.
    public record Step(Drive drive, Prepared change) {}

    /// A change that is prepared.
    ///
    /// @param steps done at the same time
    /// @param then done after them
    /// @param note what `steps` put into the notes only for as long as some of them may not be done
    /// @param late whether drives are changed that the key does not belong on any more
    /// @param version when the key is what `steps` make of it from now on, whatever it was before
    /// @param result what to tell the caller when it is done
    public record Ready<T>(
            List<Step> steps,
            List<Step> then,
            Optional<byte[]> note,
            boolean late,
            Optional<ObjectVersion> version,
            T result) {
        /// Of one drive.
        public Ready(Drive drive, Prepared change, T result) {
            this(List.of(new Step(drive, change)), List.of(), result);
        }

        public Ready(List<Step> steps, List<Step> then, T result) {
            this(steps, then, Optional.empty(), false, Optional.empty(), result);
        }

        public Ready<T> asNew(ObjectVersion itsVersion, Optional<byte[]> aNote) {
            return new Ready<>(steps, then, aNote, late, Optional.of(itsVersion), result);
        }

        public Ready<T> andThen(Step step) {
            var more = new ArrayList<>(then);
            more.add(step);
            return new Ready<>(steps, more, note, late, version, result);
        }

        public Ready<T> late(boolean isLate) {
            return new Ready<>(steps, then, note, isLate, version, result);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(KeyCommitter.class);

    private final KeyLocks changing = new KeyLocks();
    private final KeyLocks publishing = new KeyLocks();
    private final Drives drives;
    private final HotSet hotSet;
    private final Versions versions;
    private final AtomicLong moves = new AtomicLong();

    public KeyCommitter(Drives drives, HotSet hotSet, Versions versions) {
        this.drives = drives;
        this.hotSet = hotSet;
        this.versions = versions;
    }

    public Versions versions() {
        return versions;
    }

    /// Readers that have to go to the drive wait here while a change of their key is published.
    public KeyLocks publishing() {
        return publishing;
    }

    /// Counts up before copies go from some drives because their keys are on others. Who asks one drive after the other
    /// has seen each key for sure if it is the same before and after.
    public long moves() {
        return moves.get();
    }

    /// @param prepare runs under the key's lock, while the drives of before are not forgotten
    public <T> T change(BucketRef bucket, String name, Supplier<Ready<T>> prepare) {
        var key = new ObjectKey(bucket.id(), name);
        try (var _ = changing.lock(key);
                var _ = drives.changing()) {
            var table = drives.table();
            var ready = prepare.get();
            try (var _ = publishing.lock(key)) {
                var reached = new Reached();
                boolean done = false;
                try {
                    if (ready.late) { // not only afterwards: a drive whose outcome is unknown is closed at once
                        ready.steps.forEach(step -> markLate(step.drive));
                    }
                    publish(ready.steps, reached);
                    if (!ready.then.isEmpty()) {
                        moves.incrementAndGet();
                        publish(ready.then, new Reached());
                    }
                    done = true;
                } finally {
                    boolean late = ready.late || !drives.table().placesLike(table, bucket.id());
                    if (late || (!done && ready.steps.size() + ready.then.size() > 1)) {
                        drives.strays(bucket, name, ready.version.flatMap(reached::ahead));
                    } else if (done && ready.version.isPresent()) {
                        drives.agree(key);
                    }
                    hotSet.invalidate(key);
                    if (late) {
                        markLate(ready.steps, reached, done);
                    }
                }
            }
            ready.note.ifPresent(note -> ready.steps.forEach(step -> step.drive.forgetNote(note)));
            return ready.result;
        }
    }

    /// For the drives that have the change, or may have it. The failure of the change counts more than one of these.
    private void markLate(List<Step> steps, Reached reached, boolean done) {
        for (var step : steps) {
            try {
                if (reached.mayHave(step.drive)) {
                    markLate(step.drive);
                }
            } catch (StoreException failure) {
                if (done) {
                    throw failure;
                }
                LOG.warn(
                        "drive {} may have a late change and cannot be marked: it can leave after a restart without it",
                        step.drive.id(),
                        failure);
            }
        }
    }

    /// That the key strays is known in memory only. A drive is not given up with it after a restart either.
    private void markLate(Drive drive) {
        long table = drives.table().version();
        boolean _ = drive.call(() -> {
            drive.marks().markLate(table);
            return true;
        });
    }

    /// The drives on which a change is done, and those that failed in a way that leaves it open.
    private static final class Reached {
        private final Set<String> surely = new HashSet<>();
        private final Set<String> perhaps = new HashSet<>();

        boolean mayHave(Drive drive) {
            return surely.contains(drive.id()) || perhaps.contains(drive.id());
        }

        Optional<Ahead> ahead(ObjectVersion version) {
            if (surely.isEmpty() && perhaps.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(
                    surely.isEmpty() ? new Ahead(version, perhaps, false) : new Ahead(version, surely, true));
        }
    }

    /// Waits for all, also when one fails.
    private static void publish(List<Step> steps, Reached reached) {
        var begun = new ArrayList<CompletableFuture<Void>>(steps.size());
        steps.forEach(step -> begun.add(step.drive.begin(step.change)));
        Optional<StoreException> failed = Optional.empty();
        for (int i = 0; i < begun.size(); i++) {
            var drive = steps.get(i).drive;
            try {
                Await.whole(begun.get(i));
                reached.surely.add(drive.id());
            } catch (StoreException failure) {
                failed = Optional.of(failure);
                if (Drive.isUnknown(failure)) {
                    reached.perhaps.add(drive.id());
                }
            }
        }
        if (failed.isPresent()) {
            throw failed.get();
        }
    }

    /// Changes what one drive has of a key.
    ///
    /// @param prepare runs on the drive, under the key's lock
    public <T> T commit(Drive drive, BucketRef bucket, String key, DriveThreads.Work<Ready<T>> prepare) {
        return change(bucket, key, () -> drive.call(prepare));
    }

    /// Prepares a change of a key, under its locks; empty to leave it as it is.
    public interface Preparing {
        Optional<Prepared> prepare(ObjectKey key) throws IOException;
    }

    /// Changes keys of one drive in one group. Leaves out a key that somebody is changing or opening just now, so it
    /// never waits for a lock. On a thread of the drive's own.
    ///
    /// @return the keys that were changed
    public List<ObjectKey> commitIdle(Drive drive, List<ObjectKey> keys, Preparing preparing) throws IOException {
        var held = new ArrayList<KeyLocks.Held>();
        try {
            var prepared = new LinkedHashMap<ObjectKey, Prepared>();
            for (var key : keys) {
                if (hold(changing, key, held) && hold(publishing, key, held)) {
                    preparing.prepare(key).ifPresent(change -> prepared.put(key, change));
                }
            }
            return publish(drive, prepared);
        } finally {
            held.forEach(KeyLocks.Held::close);
        }
    }

    private static boolean hold(KeyLocks locks, ObjectKey key, List<KeyLocks.Held> held) {
        var lock = locks.tryLock(key);
        lock.ifPresent(held::add);
        return lock.isPresent();
    }

    private List<ObjectKey> publish(Drive drive, Map<ObjectKey, Prepared> prepared) {
        try {
            var done = drive.commitTogether(List.copyOf(prepared.values())).iterator();
            return prepared.keySet().stream().filter(_ -> done.next()).toList();
        } finally {
            prepared.keySet().forEach(hotSet::invalidate);
        }
    }

    /// The next read of this key looks at its file again.
    public void lookAgain(BucketRef bucket, String key) {
        hotSet.invalidate(new ObjectKey(bucket.id(), key));
    }
}
