package dev.sluice.targetnode.storage.change;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;

/// How a key is changed: one change at a time, prepared beside readers, and published so that no reader gets what was
/// there before once the change is acknowledged.
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

    /// On a drive thread, under the key's lock.
    public void check(Drive drive, BucketRef bucket, String key, WriteCheck check) throws IOException {
        if (check != WriteCheck.NONE) {
            check.check(drive.contents().present(bucket, key));
        }
    }
}
