package dev.sluice.common.cluster.slots;

import java.util.SortedMap;
import java.util.TreeMap;

/// What slots that are served survive, and what repair is to copy.
///
/// @param surviving number of targets → how many slots are readable after the loss of so many, and not of one more
/// @param zonal how many are readable after the loss of any one zone; a target without one is a zone of its own
/// @param present how many replicas (of coded slots: positions) are in-sync on drives that are there, of all slots
/// @param missing how many more all slots are to have
public record Protection(SortedMap<Integer, Long> surviving, long zonal, long present, long missing) {
    public static final Protection NONE = new Protection(new TreeMap<>(), 0, 0, 0);

    Protection plus(Protection other) {
        return new Protection(
                sum(surviving, other.surviving), zonal + other.zonal, present + other.present, missing + other.missing);
    }

    static <K> SortedMap<K, Long> sum(SortedMap<K, Long> one, SortedMap<K, Long> other) {
        var sum = new TreeMap<>(one);
        other.forEach((key, count) -> sum.merge(key, count, Long::sum));
        return sum;
    }

    /// How many slots survive exactly so many losses.
    public long surviving(int losses) {
        return surviving.getOrDefault(losses, 0L);
    }

    /// How much is missing, as a part of what is there.
    public double missingShare() {
        return present == 0 ? 0 : (double) missing / present;
    }
}
