package dev.sluice.targetnode.storage.scrub;

/// Ends a scrub in the middle of whatever it does.
final class Stopped extends RuntimeException {
    Stopped() {
        super("stopped", null, false, false);
    }
}
