package dev.sluice.common.cluster.slots;

/// How many slots of all groups are in which state. A slot counts once for each group.
///
/// @param total the sum of the others; 0 when no bucket is replicated
/// @param full those that are served, and have all their replicas in-sync
/// @param degraded those that are served with fewer in-sync replicas than their group has
/// @param unopened those that no primary serves now
public record SlotCounts(long total, long full, long degraded, long unopened) {
    public static final SlotCounts NONE = new SlotCounts(0, 0, 0, 0);

    public SlotCounts {
        if (full < 0 || degraded < 0 || unopened < 0 || total != full + degraded + unopened) {
            throw new IllegalArgumentException(
                    "%d slots: %d full, %d degraded, %d unopened".formatted(total, full, degraded, unopened));
        }
    }

    public SlotCounts plus(SlotCounts other) {
        return new SlotCounts(
                total + other.total, full + other.full, degraded + other.degraded, unopened + other.unopened);
    }

    public boolean allFull() {
        return full == total;
    }
}
