package dev.sluice.targetnode.storage.scrub;

import dev.sluice.targetnode.storage.drive.DriveMarks;
import java.io.IOException;

/// Where a scrub stands and what it found, in the drive's index. Not synced: what a crash takes is read again.
final class ScrubState {
    private static final byte[] POSITION = {'c'};
    private static final byte[] FOUND = {'f'};

    private final DriveMarks marks;
    private Checkpoint stored = Checkpoint.NEVER;

    ScrubState(DriveMarks marks) {
        this.marks = marks;
    }

    Checkpoint position() throws IOException {
        var value = marks.kept(POSITION);
        stored = value.isEmpty() ? Checkpoint.NEVER : Checkpoint.decode(value.get());
        return stored;
    }

    void loadInto(Findings findings) throws IOException {
        var value = marks.kept(FOUND);
        if (value.isPresent()) {
            findings.decode(value.get());
        }
    }

    /// Writes what has changed.
    void store(Checkpoint now, Findings findings) throws IOException {
        if (findings.takeChanged()) {
            marks.keep(FOUND, findings.encode());
        }
        if (!now.equals(stored)) {
            marks.keep(POSITION, now.encode());
            stored = now;
        }
    }
}
