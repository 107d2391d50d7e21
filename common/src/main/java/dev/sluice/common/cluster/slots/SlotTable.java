package dev.sluice.common.cluster.slots;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// The rows of all slots of one group. Never modified; a row that a change does not name stays the same object in the
/// next table. It remembers its primaries once they were asked for.
public final class SlotTable {
    private final SlotRow[] rows;
    private volatile Optional<Set<String>> primaryDrives = Optional.empty();

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
    public static SlotTable of(SlotRows rows) {
        int size = rows.size();
        if (size == 0 || rows.slot(size - 1) != size - 1) {
            throw new IllegalArgumentException("a table has a row for each slot");
        }
        var all = new SlotRow[size];
        rows.putInto(all);
        return new SlotTable(all);
    }

    /// How many slots it has: as many as its group.
    public int size() {
        return rows.length;
    }

    public SlotRow row(int slot) {
        return rows[slot];
    }

    /// The drives that are the primary of a slot. The first call looks at all rows, which takes about 2 ms; later ones
    /// cost nothing until a row changes. It is not made with the table, because few nodes ask.
    public Set<String> primaryDrives() {
        var known = primaryDrives;
        if (known.isPresent()) {
            return known.get();
        }
        var found = new HashSet<String>();
        for (var row : rows) {
            found.add(row.primary().drive());
        }
        var made = Set.copyOf(found);
        primaryDrives = Optional.of(made);
        return made;
    }

    public SlotRow[] copy() {
        return rows.clone();
    }

    public SlotTable with(SlotRows changed) {
        var next = rows.clone();
        changed.putInto(next);
        return new SlotTable(next);
    }

    /// The rows of this table that are not the same objects in the other one.
    @SuppressWarnings("ReferenceEquality") // that is how unchanged rows are known
    public SlotRows since(SlotTable before) {
        return SlotRows.of(rows, slot -> rows[slot] != before.rows[slot]);
    }

    public SlotRows all() {
        return SlotRows.of(rows, _ -> true);
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
