package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.Generation;
import java.util.Optional;

/// What a drive has of a slot in which it has no part any more. It goes a page at a time, and only as changes that the
/// core orders: when the drive becomes a learner meanwhile, its comparison sees what is on its way.
///
/// What was written before the controllers' log was recovered stays on a drive that has not been in-sync since: the row
/// may name members that had lost the slot in what the log lost, and this drive may be the last that has the object.
final class Leftovers {
    private KeyRange next = KeyRange.ALL;

    /// Of the pass over all keys that is under way.
    private boolean foundNone = true;

    private boolean gone;

    /// Whether a whole pass found nothing.
    boolean areGone() {
        return gone;
    }

    /// @param since what is of an earlier generation stays
    void purge(EventStep step, Replica replica, long since) {
        var intents = replica.intents().stream()
                .filter(intent -> Generation.of(intent.version().epoch()) >= since)
                .toList();
        intents.forEach(intent -> replica.close(step, intent.key(), intent.version(), false, false, Optional.empty()));
        var page = step.context.page(next);
        var rows = page.rows().stream()
                .filter(row -> Generation.of(row.version().epoch()) >= since)
                .toList();
        rows.forEach(row -> purge(step, row, replica));
        foundNone &= intents.isEmpty() && rows.isEmpty();
        if (page.range().more()) {
            next = page.range().rest();
        } else {
            gone = foundNone;
            foundNone = true;
            next = KeyRange.ALL;
        }
    }

    private static void purge(EventStep step, KeyVersion row, Replica replica) {
        if (!step.rules.ordersPurges()) {
            step.add(new Action.DeleteRow(row.key(), row.version()));
        } else if (replica.row(step, row.key()).equals(Optional.of(row.slice()))) {
            replica.delete(step, row.key(), row.version());
        }
    }
}
