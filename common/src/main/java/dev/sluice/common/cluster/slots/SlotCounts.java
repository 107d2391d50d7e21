package dev.sluice.common.cluster.slots;

import java.util.SortedMap;
import java.util.TreeMap;

/// How many slots of all groups are in which state. A slot counts once for each group.
///
/// @param total the sum of the next three; 0 when no bucket is replicated
/// @param full those that are served, and have all their replicas in-sync
/// @param degraded those that are served with fewer in-sync replicas than their group has
/// @param unopened those that no primary serves now
/// @param protection what the served ones survive
/// @param waiting target → how many of those that are not served need it, or another one that is named too
public record SlotCounts(
        long total, long full, long degraded, long unopened, Protection protection, SortedMap<String, Long> waiting) {
    public static final SlotCounts NONE = new SlotCounts(0, 0, 0, 0, Protection.NONE, new TreeMap<>());

    public SlotCounts {
        if (full < 0 || degraded < 0 || unopened < 0 || total != full + degraded + unopened) {
            throw new IllegalArgumentException(
                    "%d slots: %d full, %d degraded, %d unopened".formatted(total, full, degraded, unopened));
        }
    }

    public SlotCounts plus(SlotCounts other) {
        return new SlotCounts(
                total + other.total,
                full + other.full,
                degraded + other.degraded,
                unopened + other.unopened,
                protection.plus(other.protection),
                Protection.sum(waiting, other.waiting));
    }

    public boolean allFull() {
        return full == total;
    }
}
