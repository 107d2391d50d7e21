package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.slots.Interner;
import dev.sluice.common.cluster.slots.SlotRow;

/// One rule for the rows of one group, applied once for each different case: the slots of a cluster have few different
/// rows and goals. Both are known by identity.
final class RowMemo {
    /// A new row for a slot, or the same one.
    interface Rule {
        SlotRow apply(SlotRow row, Wanted wanted);
    }

    private final Rule rule;
    private final Interner interner;
    private Case[] cases = new Case[256];
    private int size;

    private record Case(SlotRow row, Wanted wanted, SlotRow result) {}

    RowMemo(Rule rule, Interner interner) {
        this.rule = rule;
        this.interner = interner;
    }

    /// The same object when the rule changes nothing.
    @SuppressWarnings("ReferenceEquality") // equal rows of one table are nearly always one object
    SlotRow apply(SlotRow row, Wanted wanted) {
        int at = place(cases, row, wanted);
        while (cases[at] != null) {
            if (cases[at].row == row && cases[at].wanted.is(wanted)) {
                return cases[at].result;
            }
            at = (at + 1) & (cases.length - 1);
        }
        var made = rule.apply(row, wanted);
        var result = made == row || made.equals(row) ? row : interner.row(made);
        cases[at] = new Case(row, wanted, result);
        if (++size > cases.length / 2) {
            grow();
        }
        return result;
    }

    private static int place(Case[] cases, SlotRow row, Wanted wanted) {
        int hash = (System.identityHashCode(row) * 31 + wanted.identity()) * 0x9E3779B9;
        return (hash >>> 8) & (cases.length - 1);
    }

    private void grow() {
        var larger = new Case[cases.length * 2];
        for (var one : cases) {
            if (one != null) {
                int at = place(larger, one.row, one.wanted);
                while (larger[at] != null) {
                    at = (at + 1) & (larger.length - 1);
                }
                larger[at] = one;
            }
        }
        cases = larger;
    }
}
