package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What one drive has of a slot: the committed rows (in the store, and what is ordered and not yet there), at most one
/// open intent a key, and the versions settled in this epoch.
final class Replica {
    /// Older than all versions.
    static final ObjectVersion NOTHING = new ObjectVersion(0, 0);
    private static final int MANY_SETTLED = 32;

    /// @param durable whether the store has it
    /// @param asker who waits for that; empty: nobody
    /// @param epoch under which it was asked for last
    private record Open(OpenIntent intent, boolean durable, String asker, long epoch) {}

    /// A change of a row that the store has not answered yet.
    private record Ordered(Action.Local action, Optional<Slice> row, ObjectVersion version) {}

    private Map<ObjectKey, Open> open = Map.of();
    private Map<ObjectKey, Ordered> ordered = Map.of();
    private Map<ObjectKey, ObjectVersion> settled = Map.of();
    private Map<ObjectKey, ObjectVersion> deleted = Map.of();
    private ObjectVersion settledBelow = NOTHING;
    private boolean learning;

    void recovered(List<OpenIntent> intents) {
        for (var intent : intents) {
            open = SparseMap.with(open, intent.key(), new Open(intent, true, "", 0));
        }
    }

    /// The committed row of a key, with what is on its way.
    Optional<Slice> row(EventStep step, ObjectKey key) {
        var change = ordered.get(key);
        return change == null ? step.context.row(key) : change.row();
    }

    List<OpenIntent> intents() {
        return open.values().stream().map(Open::intent).toList();
    }

    /// Whether this slice of a write is an open intent, durable or not.
    boolean isOpen(ObjectKey key, Slice slice) {
        var now = open.get(key);
        return now != null && now.intent().equals(new OpenIntent(key, slice.version(), false, slice.position()));
    }

    boolean isStoring() {
        return open.values().stream().anyMatch(intent -> !intent.durable());
    }

    /// Whether the store does not show a write yet that was decided in an epoch before this one.
    boolean lags(long since) {
        return ordered.values().stream().anyMatch(change -> change.version().epoch() < since);
    }

    Collection<ObjectKey> changing() {
        return ordered.keySet();
    }

    /// Prepares of older epochs are refused from now on, so their settled versions can be forgotten.
    void newEpoch() {
        settled = Map.of();
    }

    void learning(boolean learner) {
        learning = learner;
        deleted = Map.of();
    }

    /// Whether this version is not newer than a deletion that was committed while this drive learns.
    boolean outlived(ObjectKey key, ObjectVersion version) {
        var deletion = deleted.get(key);
        return deletion != null && deletion.compareTo(version) >= 0;
    }

    // -- prepare and fate

    void prepare(EventStep step, String from, Message.Prepare prepare) {
        forgetBelow(prepare.settledBelow());
        var key = prepare.key();
        var version = prepare.version();
        var older = open.get(key);
        if (older != null && older.intent().version().compareTo(version) < 0) {
            var base = prepare.base();
            var was = older.intent();
            boolean committed = base.equals(Optional.of(was.version())) || (was.delete() && base.isEmpty());
            settle(step, key, was.version(), committed, false, Optional.empty());
        }
        if (isLate(step, key, version)) {
            return;
        }
        var now = open.get(key);
        var reply = new Message.Prepared(prepare.epoch(), key, version);
        boolean sentAgain = false;
        if (now != null && now.intent().version().equals(version)) {
            if (step.rules.hasPrepared(now.intent(), prepare.position())) {
                if (now.durable()) {
                    step.send(from, reply);
                } else {
                    open = SparseMap.with(open, key, new Open(now.intent(), false, from, prepare.epoch()));
                }
                return;
            }
            sentAgain = true; // to this drive as one of another position
        }
        var row = row(step, key);
        boolean has = row.filter(
                        slice -> slice.version().compareTo(version) > 0 || slice.has(version, prepare.position()))
                .isPresent();
        if (has) {
            if (sentAgain) { // else it would be committed over the row
                close(step, key, version, false, false, Optional.empty());
            }
            step.settle(key, version, true, true, Optional.of(new Action.Send(from, reply)));
        } else if (now == null || sentAgain) {
            if (prepare.delete() && !step.rules.storesDeletion(row.isPresent())) {
                step.send(from, reply);
                return;
            }
            if (sentAgain) {
                close(step, key, version, false, false, Optional.empty());
            }
            var intent = new OpenIntent(key, version, prepare.delete(), prepare.position());
            open = SparseMap.with(open, key, new Open(intent, false, from, prepare.epoch()));
            step.add(new Action.StoreIntent(intent));
        }
    }

    void fate(EventStep step, String from, Message.Fate fate) {
        forgetBelow(fate.settledBelow());
        var reply = new Message.FateKnown(fate.epoch(), fate.key(), fate.version(), fate.sync());
        if (fate.sync() && step.rules.syncsAborts()) {
            var then = Optional.<Action>of(new Action.Send(from, reply));
            settle(step, fate.key(), fate.version(), fate.commit(), true, then);
        } else {
            settle(step, fate.key(), fate.version(), fate.commit(), false, Optional.empty());
            step.send(from, reply);
        }
    }

    /// The fate of a version is known.
    void settle(
            EventStep step, ObjectKey key, ObjectVersion version, boolean commit, boolean sync, Optional<Action> then) {
        var known = settled.get(key);
        if (version.compareTo(settledBelow) >= 0 && (known == null || known.compareTo(version) < 0)) {
            settled = SparseMap.with(settled, key, version);
        }
        var deletion = open.containsKey(key) && open.get(key).intent().delete();
        if (close(step, key, version, commit, sync, then)) {
            if (commit && deletion && learning) {
                deleted = SparseMap.with(deleted, key, version);
            }
        } else if (then.isPresent()) {
            step.settle(key, version, commit, sync, then);
        }
    }

    /// Ends the open intent of this version, if there is one.
    boolean close(
            EventStep step, ObjectKey key, ObjectVersion version, boolean commit, boolean sync, Optional<Action> then) {
        var now = open.get(key);
        if (now == null || !now.intent().version().equals(version)) {
            return false;
        }
        open = SparseMap.without(open, key);
        var action = new Action.Settle(key, version, commit, sync, then);
        step.add(action);
        if (commit) {
            var row = now.intent().delete()
                    ? Optional.<Slice>empty()
                    : Optional.of(new Slice(version, now.intent().position()));
            ordered = SparseMap.with(ordered, key, new Ordered(action, row, version));
        }
        return true;
    }

    private boolean isLate(EventStep step, ObjectKey key, ObjectVersion version) {
        var known = settled.getOrDefault(key, NOTHING);
        return step.rules.isLate(version, known, settledBelow);
    }

    private void forgetBelow(ObjectVersion mark) {
        if (mark.compareTo(settledBelow) > 0) {
            settledBelow = mark;
            if (settled.size() > MANY_SETTLED) {
                settled.values().removeIf(version -> version.compareTo(mark) < 0);
            }
        }
    }

    // -- a learner's rows

    void delete(EventStep step, ObjectKey key, ObjectVersion version) {
        change(step, new Action.DeleteRow(key, version), key, Optional.empty(), version);
    }

    void store(EventStep step, Learning source, ObjectKey key, Slice slice) {
        change(step, new Action.StorePulled(source, key, slice), key, Optional.of(slice), slice.version());
    }

    private void change(
            EventStep step, Action.Local action, ObjectKey key, Optional<Slice> row, ObjectVersion version) {
        step.add(action);
        ordered = SparseMap.with(ordered, key, new Ordered(action, row, version));
    }

    // -- the store's answers

    void stored(EventStep step, Action.StoreIntent action) {
        var intent = action.intent();
        var now = open.get(intent.key());
        if (now == null || !now.intent().equals(intent) || now.durable()) {
            return;
        }
        open = SparseMap.with(open, intent.key(), new Open(intent, true, "", 0));
        step.send(now.asker(), new Message.Prepared(now.epoch(), intent.key(), intent.version()));
    }

    /// @return false when the intent was settled meanwhile: it may have been committed, and the store lacks it
    boolean refused(EventStep step, Action.StoreIntent action) {
        var intent = action.intent();
        var now = open.get(intent.key());
        if (now == null || !now.intent().equals(intent) || now.durable()) {
            return false;
        }
        open = SparseMap.without(open, intent.key());
        step.send(now.asker(), new Message.Refused(now.epoch(), intent.key(), intent.version()));
        return true;
    }

    /// A change of a row is in the store, or failed.
    void changed(ObjectKey key, Action.Local action) {
        var last = ordered.get(key);
        if (last != null && last.action().equals(action)) {
            ordered = SparseMap.without(ordered, key);
        }
    }
}
