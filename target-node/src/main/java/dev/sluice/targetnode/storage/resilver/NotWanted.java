package dev.sluice.targetnode.storage.resilver;

/// Ends the look at a drive in the middle of it.
final class NotWanted extends RuntimeException {
    NotWanted() {
        super("not wanted any more", null, false, false);
    }
}
