package dev.sluice.targetnode.storage.scrub;

/// Ends a scrub in the middle of whatever it does.
final class Cancelled extends RuntimeException {
    Cancelled() {
        super("stopped", null, false, false);
    }
}
