package dev.sluice.targetnode.replica.core;

/// What a reader has to find equal before and after it looked at a row: the primacy under which this drive serves.
/// Without a lease, checked after that, nothing is answered.
///
/// @param epoch the slot's epoch; 0: this drive does not serve the slot
/// @param primarySince the epoch in which this primary began, or began again
public record Serving(long epoch, long primarySince) {
    public static final Serving NONE = new Serving(0, 0);

    public boolean open() {
        return epoch > 0;
    }
}
