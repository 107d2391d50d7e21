package dev.sluice.targetnode.storage.drive;

/// The machine stops here. An error, so that nothing handles it.
public final class SimulatedCrash extends Error {
    SimulatedCrash() {
        super("crash", null, false, false);
    }
}
