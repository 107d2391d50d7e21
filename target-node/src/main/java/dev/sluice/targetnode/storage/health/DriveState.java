package dev.sluice.targetnode.storage.health;

import java.util.Locale;

/// What a drive may be used for.
public enum DriveState {
    /// It is being opened, and does not know yet what it has.
    STARTING,
    ONLINE,
    /// It takes no writes, but what it says is right.
    READ_ONLY,
    /// It failed, and is probed until it is sound again.
    OFFLINE,
    /// An operator does not want it used.
    DISABLED;

    public boolean reads() {
        return this == ONLINE || this == READ_ONLY;
    }

    public boolean writes() {
        return this == ONLINE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
