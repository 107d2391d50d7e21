package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A learner compares its rows with the primary's, page by page, and pulls what differs. Meanwhile it takes writes
/// like every member. Each key is compared on its own: it does not matter that pages show different moments, since
/// each shows the slot after the last write from before *since* was decided.
final class Learner implements Role {
    private enum State {
        COMPARING,
        SYNCING,
        LEARNED
    }

    private final Learning learning;
    private final String source;
    private final int position;
    private KeyRange next = KeyRange.ALL;
    private boolean listed;
    private State state = State.COMPARING;
    private final Set<ObjectKey> pulled = new HashSet<>();
    private final Set<ObjectKey> toPull = new HashSet<>();
    private final Set<ObjectKey> stored = new HashSet<>();

    /// Syncs that were ordered and are not done: they may end in another order.
    private int syncs;

    /// @param position which slice of each object this drive is to have
    Learner(Learning learning, String source, int position) {
        this.learning = learning;
        this.source = source;
        this.position = position;
    }

    Learning learning() {
        return learning;
    }

    Optional<Copying> copying() {
        return state == State.LEARNED ? Optional.empty() : Optional.of(new Copying(learning, source));
    }

    void begin(EventStep step, Replica replica) {
        if (step.rules.dropsIntentsAtOnce()) {
            for (var intent : replica.intents()) {
                replica.close(step, intent.key(), intent.version(), false, false, Optional.empty());
            }
        }
        tick(step);
    }

    /// Goes on, and repeats what is unanswered. Keys of a page that was compared are pulled without a turn, too: they
    /// are few, and whoever has the turn would wait for them.
    void tick(EventStep step) {
        pull(step);
        if (!pulled.isEmpty() || !stored.isEmpty()) {
            return;
        }
        switch (state) {
            case COMPARING -> {
                if (!listed) {
                    step.send(source, new Message.AskListing(learning, next));
                } else {
                    state = State.SYNCING;
                    syncs++;
                    step.add(new Action.SyncSlot(learning));
                }
            }
            case SYNCING -> {}
            case LEARNED -> step.send(source, new Message.Learned(learning));
        }
    }

    private void pull(EventStep step) {
        toPull.stream().sorted(step.context.order()).forEach(key -> {
            pulled.add(key);
            step.add(new Action.Pull(source, learning, key, position));
        });
        toPull.clear();
    }

    void listing(EventStep step, Message.Listing listing, Replica replica) {
        var range = listing.page().range();
        boolean expected = listing.learning().equals(learning)
                && !listed
                && pulled.isEmpty()
                && stored.isEmpty()
                && toPull.isEmpty()
                && range.after().equals(next.after());
        if (expected) {
            compare(step, listing.page(), replica);
            listed = !range.more();
            next = range.rest();
            if (step.rules.skipsPulls()) {
                toPull.clear();
            }
            tick(step);
        }
    }

    private void compare(EventStep step, Page page, Replica replica) {
        var sources = new HashMap<ObjectKey, ObjectVersion>();
        page.rows().forEach(row -> sources.put(row.key(), row.version()));
        for (var intent : replica.intents()) {
            if (intent.version().epoch() < learning.since()
                    && page.range().contains(intent.key(), step.context.order())) {
                boolean committed =
                        intent.version().equals(sources.get(intent.key())) && step.rules.hasCommitted(intent, position);
                replica.close(step, intent.key(), intent.version(), committed, false, Optional.empty());
            }
        }
        var mine = rows(step, page.range(), replica);
        mine.forEach((key, here) -> {
            if (!sources.containsKey(key) && isOld(here.version()) && step.rules.deletesWhatIsMissing()) {
                replica.delete(step, key, here.version());
            }
        });
        sources.forEach((key, version) -> {
            var here = mine.get(key);
            if (here == null || isReplaced(step, here, version)) {
                toPull.add(key);
            }
        });
    }

    private boolean isReplaced(EventStep step, Slice here, ObjectVersion sources) {
        return !step.rules.isSame(here, sources, position)
                && isOld(here.version())
                && step.rules.replaces(here.version(), sources);
    }

    private Map<ObjectKey, Slice> rows(EventStep step, KeyRange range, Replica replica) {
        var rows = new HashMap<ObjectKey, Slice>();
        var rest = range;
        boolean more = true;
        while (more) {
            var page = step.context.page(rest);
            page.rows().forEach(row -> rows.put(row.key(), row.slice()));
            more = !page.range().last().equals(range.last());
            rest = new KeyRange(page.range().last(), range.last());
        }
        for (var key : replica.changing()) {
            if (range.contains(key, step.context.order())) {
                rows.remove(key);
                replica.row(step, key).ifPresent(slice -> rows.put(key, slice));
            }
        }
        return rows;
    }

    private boolean isOld(ObjectVersion version) {
        return version.epoch() < learning.since();
    }

    void pulled(EventStep step, Event.Pulled event, Replica replica) {
        var key = event.key();
        if (!event.learning().equals(learning) || !(pulled.remove(key) || toPull.remove(key))) {
            return;
        }
        var mine = replica.row(step, key);
        boolean newer = mine.isPresent() && !isOld(mine.get().version());
        if (event.row().isEmpty()) {
            if (!newer && mine.isPresent()) {
                replica.delete(step, key, mine.get().version());
            }
        } else {
            var slice = event.row().get();
            boolean deletedSince = step.rules.remembersDeletions() && replica.outlived(key, slice.version());
            if (!newer
                    && !deletedSince
                    && mine.filter(here -> isAsGood(here, slice)).isEmpty()) {
                stored.add(key);
                replica.store(step, learning, key, slice);
            }
        }
        tick(step);
    }

    /// Some slice of the version is more than none.
    private static boolean isAsGood(Slice here, Slice came) {
        return here.equals(came) || (here.version().equals(came.version()) && came.position() == Slice.NONE);
    }

    void pullFailed(Event.PullFailed event) {
        if (event.learning().equals(learning) && pulled.remove(event.key())) {
            toPull.add(event.key());
        }
    }

    void stored(EventStep step, Action.StorePulled action) {
        if (action.learning().equals(learning) && stored.remove(action.key())) {
            tick(step);
        }
    }

    /// The drive had no room for what was ordered for this key: a pulled row, perhaps of an earlier primary, or an
    /// intent that was committed already. The comparison may have counted on it, so the next tick pulls the key.
    void lacks(ObjectKey key) {
        stored.remove(key);
        toPull.add(key);
        state = State.COMPARING;
    }

    void synced(EventStep step, Action.SyncSlot action) {
        if (action.learning().equals(learning)) {
            syncs--;
            if (syncs == 0 && state == State.SYNCING) {
                state = State.LEARNED;
                tick(step);
            }
        }
    }
}
