package dev.sluice.common.cluster.slots;

import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.placement.Slot;
import java.util.List;
import java.util.function.Predicate;

/// The replicated buckets with the same properties. They share a table of slots.
///
/// A key has a hash of 16 bits ([Slot#of]), the same in each group. A slot of the group is a range of these hashes:
/// slot r has those from r · 65,536 ÷ slots on, and placement ranks it as the first of them. On a drive, the keys of a
/// slot stand in the order of hash, bucket, key.
///
/// @param id from 1; never used again
/// @param replicas how many targets keep each slot: of an erasure-coded group its data and parity positions
/// @param data how many of them make an object: 1 where each has whole objects
/// @param durability what an acknowledged write survives
/// @param slots how many: a power of two
public record Group(int id, int replicas, int data, Durability durability, int slots) {
    public static final int MOST_REPLICAS = 8;

    /// A failover, and a target that returns, touch each row of the targets that they concern: few targets get
    /// few slots. The shares of three targets are within ± 4 % of the mean then, those of eight within ± 8 %, as
    /// those of 32 with the next number.
    private static final int FEW = 1 << 12;

    private static final int MOST_TARGETS_WITH_FEW = 8;
    private static final int MORE = 1 << 14;
    private static final int MOST_TARGETS_WITH_MORE = 32;

    /// Says how many slots a new group has in a cluster of so many targets.
    public interface Sizes {
        /// @param coded whether its members have slices of objects
        int slots(int targets, boolean coded);
    }

    public Group {
        if (data > 1) {
            var _ = new ErasureCode(data, replicas - data); // which says what is wrong
        }
        boolean good = data > 1 ? durability == Durability.FSYNC : replicas >= 2 && replicas <= MOST_REPLICAS;
        if (id < 1 || data < 1 || !good) {
            throw new IllegalArgumentException(
                    "group %d with %d replicas, %d of them data, %s".formatted(id, replicas, data, durability));
        }
        if (slots < 1 || slots > Slot.COUNT || Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException("group " + id + " with " + slots + " slots");
        }
    }

    /// Of whole objects.
    public Group(int id, int replicas, Durability durability, int slots) {
        this(id, replicas, 1, durability, slots);
    }

    /// Whether each member has a slice of an object, and not all of it.
    public boolean coded() {
        return data > 1;
    }

    /// How many different positions a slot has to have for a write to be acknowledged: one may be lost at once then,
    /// where the code has more than one to lose.
    public int floor() {
        return coded() ? new ErasureCode(data, parity()).floor() : data;
    }

    /// How many of its replicas the in-sync ones of these members are: of a coded group, different positions.
    public int count(List<Member> members) {
        return count(members, _ -> true);
    }

    /// The same of those alone that count.
    public int count(List<Member> members, Predicate<Member> counts) {
        long positions = 0;
        int count = 0;
        for (var member : members) {
            if (member.inSync() && counts.test(member)) {
                positions |= 1L << member.position();
                count++;
            }
        }
        return coded() ? Long.bitCount(positions) : count;
    }

    /// How many members may be lost.
    public int parity() {
        return replicas - data;
    }

    /// How many slots a new group has: with an erasure code fewer, since each target is in the rows of more of them.
    public static int slotsFor(int targets, boolean coded) {
        if (coded) {
            return targets <= MOST_TARGETS_WITH_MORE ? FEW : MORE;
        }
        if (targets <= MOST_TARGETS_WITH_FEW) {
            return FEW;
        }
        return targets <= MOST_TARGETS_WITH_MORE ? MORE : Slot.COUNT;
    }

    /// The only way from a key to its row.
    public int slotOf(long bucketId, String key) {
        return Slot.of(bucketId, key) / hashes();
    }

    /// The first of a slot's hashes.
    public int firstHash(int slot) {
        return slot * hashes();
    }

    /// How many hashes each slot has.
    public int hashes() {
        return Slot.COUNT / slots;
    }
}
