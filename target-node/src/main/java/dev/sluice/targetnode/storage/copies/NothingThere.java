package dev.sluice.targetnode.storage.copies;

/// Ends a deletion of what is not there.
final class NothingThere extends RuntimeException {
    NothingThere() {
        super("nothing is there", null, false, false);
    }
}
