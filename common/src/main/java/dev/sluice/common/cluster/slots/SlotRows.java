package dev.sluice.common.cluster.slots;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/// Rows of some slots of one group, in the order of their slots. Never modified.
public final class SlotRows {
    private final int[] slots;
    private final SlotRow[] rows;

    private SlotRows(int[] slots, SlotRow[] rows) {
        this.slots = slots;
        this.rows = rows;
    }

    /// @param all the rows of all slots, by slot
    /// @param chosen the slots whose rows are wanted
    static SlotRows of(SlotRow[] all, IntPredicate chosen) {
        var slots = new int[all.length];
        int count = 0;
        for (int slot = 0; slot < all.length; slot++) {
            if (chosen.test(slot)) {
                slots[count++] = slot;
            }
        }
        var rows = new SlotRow[count];
        for (int at = 0; at < count; at++) {
            rows[at] = all[slots[at]];
        }
        return new SlotRows(Arrays.copyOf(slots, count), rows);
    }

    /// @param slots each greater than the one before; copied
    /// @param rows as many; copied
    public static SlotRows of(int[] slots, SlotRow[] rows) {
        if (slots.length != rows.length) {
            throw new IllegalArgumentException(slots.length + " slots, " + rows.length + " rows");
        }
        for (int at = 0; at < slots.length; at++) {
            if (slots[at] < (at == 0 ? 0 : slots[at - 1] + 1)) {
                throw new IllegalArgumentException("slot " + slots[at] + " at " + at);
            }
        }
        return new SlotRows(slots.clone(), rows.clone());
    }

    public int size() {
        return slots.length;
    }

    /// @param at a place from 0 to less than the size
    public int slot(int at) {
        return slots[at];
    }

    public SlotRow row(int at) {
        return rows[at];
    }

    /// Whether some member has another position than 0: then all have one.
    boolean havePositions() {
        for (var row : rows) {
            for (var member : row.members()) {
                if (member.position() > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    public IntStream slots() {
        return Arrays.stream(slots);
    }

    void putInto(SlotRow[] table) {
        for (int at = 0; at < slots.length; at++) {
            table[slots[at]] = rows[at];
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SlotRows more && Arrays.equals(slots, more.slots) && Arrays.equals(rows, more.rows);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(slots) + Arrays.hashCode(rows);
    }

    @Override
    public String toString() {
        return "SlotRows" + Arrays.toString(slots);
    }
}
