package dev.sluice.targetnode.replica.core;

/// The primacy under which this drive serves a slot. A reader finds it open, with the same `primarySince`, before
/// and after it looks at a row. Without a lease, checked after that, nothing is answered.
///
/// @param epoch the slot's epoch; 0: this drive does not serve the slot
/// @param primarySince the epoch in which this primary began, or began again
/// @param driveSince the epoch from which this drive has been primary with no other between
public record Serving(long epoch, long primarySince, long driveSince) {
    public static final Serving NONE = new Serving(0, 0, 0);

    public boolean open() {
        return epoch > 0;
    }
}
