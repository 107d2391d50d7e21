package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFiles;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/// What is free on a drive, without asking it for each write: the last answer, less what was promised since.
public final class Space {
    private final String drive;
    private final long reserve;
    private final AtomicLong free = new AtomicLong();

    Space(String drive, long reserve) {
        this.drive = drive;
        this.reserve = reserve;
    }

    void refresh(DriveFiles files) throws IOException {
        free.set(files.freeBytes());
    }

    /// Takes room for an object.
    ///
    /// @throws StoreException.NoSpace when that would touch the reserve
    public void take(long bytes) {
        if (free.addAndGet(-bytes) < reserve) {
            free.addAndGet(bytes);
            throw new StoreException.NoSpace("The drive %s is full: %d bytes are wanted, %d are free, %d are kept free"
                    .formatted(drive, bytes, free.get(), reserve));
        }
    }

    public long free() {
        return free.get();
    }
}
