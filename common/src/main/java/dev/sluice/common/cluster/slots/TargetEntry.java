package dev.sluice.common.cluster.slots;

/// A target's record in the controllers' log.
///
/// @param incarnation the number of its newest process life, given by the log
/// @param nonce what that process chose for its registration: repeated, it gets the same incarnation
/// @param bootId the kernel's, of the machine on which that process registered
/// @param up false from a `Down` entry until the same process beats again or another one registers
/// @param version grows with each entry about this target
/// @param muted whether too few other targets hear it: nothing is promised to it, so that it goes down, and is not up
///     before it hears and is heard by half of the others
public record TargetEntry(int incarnation, String nonce, String bootId, boolean up, long version, boolean muted) {
    public TargetEntry withUp(boolean now) {
        return new TargetEntry(incarnation, nonce, bootId, now, version + 1, muted);
    }

    public TargetEntry trusted() {
        return new TargetEntry(incarnation, nonce, bootId, up, version + 1, muted);
    }

    /// No process of before counts any more; one of another number may register.
    public TargetEntry forgotten(int next) {
        return new TargetEntry(next, "", "", false, version + 1, false);
    }

    /// Its promises lapse as they were given: the version stays.
    public TargetEntry withMuted() {
        return new TargetEntry(incarnation, nonce, bootId, up, version, true);
    }

    public TargetEntry heardAgain() {
        return new TargetEntry(incarnation, nonce, bootId, up, version + 1, false);
    }
}
