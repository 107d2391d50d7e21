package dev.sluice.common.cluster.slots;

import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The rows of all slots of one group. Never modified; a row that a change does not name stays the same object in the
/// next table.
public final class SlotTable {
    private final SlotRow[] rows;

    /// @param rows taken over
    private SlotTable(SlotRow[] rows) {
        this.rows = rows;
    }

    /// @param rows one for each slot
    public static SlotTable of(SlotRow[] rows) {
        if (Arrays.asList(rows).contains(null)) {
            throw new IllegalArgumentException("a table has a row for each slot");
        }
        return new SlotTable(rows.clone());
    }

    /// @throws IllegalArgumentException when they are not one row for each slot from 0 on
    public static SlotTable of(SortedMap<Integer, SlotRow> rows) {
        if (rows.isEmpty() || rows.firstKey() != 0 || rows.lastKey() != rows.size() - 1) {
            throw new IllegalArgumentException("a table has a row for each slot");
        }
        return new SlotTable(rows.values().toArray(SlotRow[]::new));
    }

    /// How many slots it has: 65,536 in a cluster.
    public int size() {
        return rows.length;
    }

    public SlotRow row(int slot) {
        return rows[slot];
    }

    SlotRow[] copy() {
        return rows.clone();
    }

    public SlotTable with(Map<Integer, SlotRow> changed) {
        var next = rows.clone();
        changed.forEach((slot, row) -> next[slot] = row);
        return new SlotTable(next);
    }

    /// The rows of this table that are not the same objects in the other one.
    @SuppressWarnings("ReferenceEquality") // that is how unchanged rows are known
    public SortedMap<Integer, SlotRow> since(SlotTable before) {
        var changed = new TreeMap<Integer, SlotRow>();
        for (int slot = 0; slot < rows.length && before != this; slot++) {
            if (rows[slot] != before.rows[slot]) {
                changed.put(slot, rows[slot]);
            }
        }
        return changed;
    }

    public SortedMap<Integer, SlotRow> all() {
        var all = new TreeMap<Integer, SlotRow>();
        for (int slot = 0; slot < rows.length; slot++) {
            all.put(slot, rows[slot]);
        }
        return all;
    }

    /// The same rows; those equal to the other table's are that table's objects.
    public SlotTable sharing(SlotTable known) {
        var next = rows.clone();
        for (int slot = 0; slot < next.length; slot++) {
            if (next[slot].equals(known.rows[slot])) {
                next[slot] = known.rows[slot];
            }
        }
        return new SlotTable(next);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SlotTable table && Arrays.equals(rows, table.rows);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(rows);
    }

    @Override
    public String toString() {
        return "SlotTable[" + rows[0] + ", ...]";
    }
}
