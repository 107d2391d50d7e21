package dev.sluice.targetnode.storage.change;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How a key is changed: one change at a time, prepared beside readers, and published so that no reader gets what
/// was there before once the change is acknowledged.
public final class Shelf {
    /// A change that is prepared, and what to tell the caller when it is committed.
    public record Ready<T>(Prepared change, T result) {}

    private final KeyLocks changing = new KeyLocks();
    private final KeyLocks publishing = new KeyLocks();
    private final HotSet hotSet;
    private final Versions versions;

    public Shelf(HotSet hotSet, Versions versions) {
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

    /// @param prepare runs on the drive, under the key's lock
    public <T> T commit(Drive drive, ObjectKey key, DriveThreads.Work<Ready<T>> prepare) {
        try (var _ = changing.lock(key)) {
            var ready = drive.call(prepare);
            try (var _ = publishing.lock(key)) {
                try {
                    drive.commit(ready.change);
                } finally {
                    hotSet.invalidate(key);
                }
            }
            return ready.result;
        }
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

    /// On a drive thread, under the key's lock.
    public void check(Drive drive, BucketRef bucket, String key, WriteCheck check) throws IOException {
        if (!check.equals(WriteCheck.NONE)) {
            check.check(drive.contents().present(bucket, key));
        }
    }
}
