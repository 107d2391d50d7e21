package dev.sluice.targetnode.replica.core;

import java.util.Optional;

/// What a drive has of a slot in which it has no part any more. It goes a page at a time, and only as changes that the
/// core orders: when the drive becomes a learner meanwhile, its comparison sees what is on its way.
final class Leftovers {
    private KeyRange next = KeyRange.ALL;

    /// Of the pass over all keys that is under way.
    private boolean foundNone = true;

    private boolean gone;

    /// Whether a whole pass found nothing.
    boolean areGone() {
        return gone;
    }

    void purge(EventStep step, Replica replica) {
        var intents = replica.intents();
        intents.forEach(intent -> replica.close(step, intent.key(), intent.version(), false, false, Optional.empty()));
        var page = step.context.page(next);
        page.rows().forEach(row -> purge(step, row, replica));
        foundNone &= intents.isEmpty() && page.rows().isEmpty();
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
        } else if (replica.row(step, row.key()).equals(Optional.of(row.version()))) {
            replica.delete(step, row.key(), row.version());
        }
    }
}
