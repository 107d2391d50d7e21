package dev.sluice.common.peer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Which slots of a replicated bucket a target answered for, as sums over them, so that those of several targets can be
/// added. All slots of a group together are [#isWhole].
///
/// @param slots how many
/// @param hash the sum of the hashes of their numbers
/// @param terms the sum of the hashes of their numbers and the epochs since which the target answers for them: another
///     sum is another right to answer
public record SlotCover(int slots, long hash, long terms) {
    public static final SlotCover NONE = new SlotCover(0, 0, 0);
    private static final Map<Integer, Long> WHOLE = new ConcurrentHashMap<>(); // by how many slots there are

    private static long whole(int slots) {
        long sum = 0;
        for (int slot = 0; slot < slots; slot++) {
            sum += mixed(slot + 1L);
        }
        return sum;
    }

    /// @param since the epoch since which the target answers for the slot
    public SlotCover and(int slot, long since) {
        return new SlotCover(slots + 1, hash + mixed(slot + 1L), terms + mixed(mixed(slot + 1L) ^ since));
    }

    public SlotCover plus(SlotCover other) {
        return new SlotCover(slots + other.slots, hash + other.hash, terms + other.terms);
    }

    /// Whether each slot is in it once.
    ///
    /// @param all how many slots the bucket's group has
    public boolean isWhole(int all) {
        return slots == all && hash == WHOLE.computeIfAbsent(all, SlotCover::whole);
    }

    /// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
    private static long mixed(long value) {
        long z = value * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
