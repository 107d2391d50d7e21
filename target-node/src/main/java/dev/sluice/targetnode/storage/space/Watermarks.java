package dev.sluice.targetnode.storage.space;

/// How full a drive may become: above `high` percent copies are evicted until it is at `low`. What is kept free for
/// the reserve counts as used, so that eviction begins before writes are refused, however small the drive.
public record Watermarks(int high, int low) {
    public static final Watermarks DEFAULT = new Watermarks(90, 85);

    public Watermarks {
        if (low < 1 || low >= high || high > 100) {
            throw new IllegalArgumentException("watermarks of %d %% and %d %%".formatted(high, low));
        }
    }

    /// What is free when a drive is just not above the high one.
    long freeAtHigh(long total, long reserve) {
        return reserve + part(total, 100 - high);
    }

    long freeAtLow(long total, long reserve) {
        return reserve + part(total, 100 - low);
    }

    private static long part(long total, int percent) {
        return total / 100 * percent + total % 100 * percent / 100;
    }
}
