package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFullException;
import java.io.IOException;

/// Counts the calls to a drive's seams and breaks one of them, or all from one on.
public final class Faults {
    /// What happens.
    public enum Kind {
        NONE,
        CRASH,
        IO_ERROR,
        FULL
    }

    private Kind kind = Kind.NONE;
    private long left;
    private boolean crashed;

    public void arm(Kind newKind, long calls) {
        kind = newKind;
        left = calls;
        crashed = false;
    }

    /// Before each call.
    ///
    /// @param grows whether the call needs room
    void step(boolean grows) throws IOException {
        if (crashed) {
            throw new SimulatedCrash();
        }
        if (kind == Kind.NONE || left-- > 0) {
            return;
        }
        switch (kind) {
            case CRASH -> {
                crashed = true;
                throw new SimulatedCrash();
            }
            case IO_ERROR -> {
                kind = Kind.NONE;
                throw new IOException("simulated I/O error");
            }
            case FULL -> {
                if (grows) {
                    throw new DriveFullException("simulated: no space", new IOException());
                }
            }
            case NONE -> {}
        }
    }
}
