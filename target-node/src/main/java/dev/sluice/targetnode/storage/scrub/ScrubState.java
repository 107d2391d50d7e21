package dev.sluice.targetnode.storage.scrub;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import java.io.IOException;

/// Where a scrub stands and what it found, in the drive's index. Not synced: what a crash takes is read again.
final class ScrubState {
    private static final byte[] POSITION = {'c'};
    private static final byte[] FOUND = {'f'};

    private final DriveIndex index;
    private Checkpoint stored = Checkpoint.NEVER;

    ScrubState(DriveIndex index) {
        this.index = index;
    }

    Checkpoint position() throws IOException {
        var value = index.get(Table.META, POSITION);
        stored = value.isEmpty() ? Checkpoint.NEVER : Checkpoint.decode(value.get());
        return stored;
    }

    void loadInto(Findings findings) throws IOException {
        var value = index.get(Table.META, FOUND);
        if (value.isPresent()) {
            findings.decode(value.get());
        }
    }

    /// Writes what has changed.
    void store(Checkpoint now, Findings findings) throws IOException {
        var batch = new IndexBatch();
        if (!now.equals(stored)) {
            batch.put(Table.META, POSITION, now.encode());
        }
        if (findings.takeChanged()) {
            batch.put(Table.META, FOUND, findings.encode());
        }
        if (!batch.isEmpty()) {
            index.write(batch, false);
            stored = now;
        }
    }
}
