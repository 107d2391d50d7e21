package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A slot at its primary: first the fence, then writes. It stays one primacy while the row's primary-since epoch is
/// the same.
final class Primary implements Role {
    private final long since;
    private SlotRow row;
    private Optional<Fencing> fencing;
    private Map<ObjectVersion, Write> writes = Map.of();
    private ObjectVersion given = Replica.NOTHING;

    Primary(SlotRow row) {
        this.row = row;
        since = row.primarySince();
        // before the first epoch nothing was accepted
        fencing = row.epoch() == SlotRow.FIRST ? Optional.empty() : Optional.of(new Fencing(row));
    }

    long since() {
        return since;
    }

    boolean isOpen() {
        return fencing.isEmpty();
    }

    boolean waits() {
        return !isOpen() || !row.opened() || !writes.isEmpty();
    }

    /// A newer row with this drive as its primary.
    void apply(SlotRow newer) {
        boolean newEpoch = newer.epoch() > row.epoch();
        row = newer;
        if (newEpoch) {
            writes.values().stream().filter(write -> !write.decided()).forEach(write -> write.answered.clear());
            if (!isOpen()) {
                fencing = Optional.of(new Fencing(row));
            }
        }
    }

    /// Another drive is primary, or this one has to begin again: what is undecided will be decided by the next fence.
    void end(Turn turn) {
        for (var write : writes.values()) {
            if (!write.decided()) {
                turn.add(new Action.Answer(write.ticket, Action.Outcome.UNKNOWN));
            }
        }
        writes = Map.of();
    }

    void tick(Turn turn, Replica replica) {
        if (!isOpen()) {
            fence(turn, replica);
            return;
        }
        if (!row.opened()) {
            turn.propose(new Proposal.Opened(row.epoch()));
        }
        for (var write : List.copyOf(writes.values())) {
            ask(turn, write, replica);
            finish(turn, write, replica);
        }
    }

    // -- fence

    void fenced(Turn turn, String from, Message.Fenced fenced, Replica replica) {
        fencing.ifPresent(open -> {
            boolean before = open.isFenced(turn, row);
            open.fenced(turn, from, fenced);
            if (!before && open.isFenced(turn, row)) {
                fence(turn, replica);
            }
        });
    }

    void versions(Turn turn, String from, Message.Versions versions, Replica replica) {
        fencing.ifPresent(open -> {
            open.versions(turn, from, versions);
            if (open.isComplete(turn, row)) {
                fence(turn, replica);
            }
        });
    }

    private void fence(Turn turn, Replica replica) {
        var open = fencing.orElseThrow();
        if (!open.isComplete(turn, row)) {
            open.ask(turn, row);
            return;
        }
        fencing = Optional.empty();
        for (var verdict : open.verdicts(turn)) {
            var intent = verdict.intent();
            replica.settle(turn, intent.key(), intent.version(), verdict.commit(), false, Optional.empty());
            var state = verdict.commit() ? Write.State.COMMITTED : Write.State.ABORTED;
            var write = new Write(0, intent.key(), intent.version(), intent.delete(), state);
            writes = Lean.with(writes, write.version, write);
        }
        tick(turn, replica);
    }

    // -- writes

    void write(Turn turn, Event.Write wanted, Replica replica) {
        if (!isOpen() || !turn.context.leased()) {
            turn.add(new Action.Answer(wanted.ticket(), Action.Outcome.FAILED));
            return;
        }
        var version = turn.rules.version(row.epoch(), turn.incarnation, turn.context.nextCounter());
        given = version;
        var write = new Write(wanted.ticket(), wanted.key(), version, wanted.delete(), Write.State.PREPARING);
        writes = Lean.with(writes, version, write);
        turn.add(new Action.Accepted(wanted.ticket(), version));
        ask(turn, write, replica);
    }

    /// Sends to each member what it has not answered yet.
    private void ask(Turn turn, Write write, Replica replica) {
        for (var member : row.members()) {
            if (!write.answered.contains(member.drive())
                    && !(write.decided() && member.drive().equals(turn.drive))) {
                turn.send(member.drive(), question(turn, write, replica));
            }
        }
    }

    private Message question(Turn turn, Write write, Replica replica) {
        var below = settledBelow();
        return switch (write.state) {
            case PREPARING -> {
                var base = replica.row(turn, write.key);
                yield new Message.Prepare(row.epoch(), write.key, write.version, write.delete, base, below);
            }
            case ABORTING -> new Message.Fate(row.epoch(), write.key, write.version, false, true, below);
            case COMMITTED -> new Message.Fate(row.epoch(), write.key, write.version, true, false, below);
            case ABORTED -> new Message.Fate(row.epoch(), write.key, write.version, false, false, below);
        };
    }

    /// The low-water mark: the oldest version whose fate some member may not know; else the next one to be given.
    private ObjectVersion settledBelow() {
        return writes.keySet().stream()
                .min(ObjectVersion::compareTo)
                .orElse(new ObjectVersion(given.epoch(), given.sequence() + 1));
    }

    void prepared(Turn turn, String from, Message.Prepared prepared, Replica replica) {
        var write = writes.get(prepared.version());
        boolean counts = turn.rules.answers(prepared.epoch(), row.epoch());
        if (write != null && counts && write.state == Write.State.PREPARING) {
            write.answered.add(from);
            finish(turn, write, replica);
        }
    }

    void refused(Turn turn, String from, Message.Refused refused, Replica replica) {
        var write = writes.get(refused.version());
        if (write == null || refused.epoch() != row.epoch() || write.state != Write.State.PREPARING) {
            return;
        }
        var member = row.member(from);
        if (member.isEmpty()) {
            return;
        }
        if (member.get().inSync()) {
            write.next(Write.State.ABORTING);
            ask(turn, write, replica);
        } else {
            turn.propose(new Proposal.TakeOff(row.epoch(), from, member.get().incarnation()));
            if (turn.rules.skipsRefusing()) {
                write.answered.add(from);
                finish(turn, write, replica);
            }
        }
    }

    void fateKnown(Turn turn, String from, Message.FateKnown known, Replica replica) {
        var write = writes.get(known.version());
        if (write == null || known.synced() != (write.state == Write.State.ABORTING)) {
            return;
        }
        if (write.decided() || (write.state == Write.State.ABORTING && known.epoch() == row.epoch())) {
            write.answered.add(from);
            finish(turn, write, replica);
        }
    }

    private void finish(Turn turn, Write write, Replica replica) {
        if (write.decided()) {
            forgetIfKnown(turn, write);
            return;
        }
        boolean preparing = write.state == Write.State.PREPARING;
        var members = members();
        var needed = preparing ? turn.rules.mustPrepare(row, turn.drive) : members;
        if (!isOpen() || !turn.context.leased() || !write.answered.containsAll(needed)) {
            return;
        }
        if (preparing) {
            commit(turn, write, replica);
        } else {
            turn.add(new Action.Answer(write.ticket, Action.Outcome.FAILED));
            writes = Lean.without(writes, write.version);
        }
    }

    private void commit(Turn turn, Write write, Replica replica) {
        for (var older : List.copyOf(writes.values())) {
            if (older.decided() && older.key.equals(write.key)) {
                older.answered.addAll(members()); // the prepare's base told them
                forgetIfKnown(turn, older);
            }
        }
        write.next(Write.State.COMMITTED);
        var answer = Optional.<Action>of(new Action.Answer(write.ticket, Action.Outcome.COMMITTED));
        replica.settle(turn, write.key, write.version, true, false, answer);
        forgetIfKnown(turn, write);
    }

    private void forgetIfKnown(Turn turn, Write write) {
        var others = new HashSet<>(members());
        others.remove(turn.drive);
        if (write.answered.containsAll(others)) {
            writes = Lean.without(writes, write.version);
        }
    }

    private Set<String> members() {
        var drives = new HashSet<String>();
        row.members().forEach(member -> drives.add(member.drive()));
        return drives;
    }

    // -- learners

    void list(Turn turn, String from, Message.AskListing asked, Replica replica) {
        if (isSource(turn, asked.learning()) && isSettled(turn, asked.learning().since(), replica)) {
            turn.send(from, new Message.Listing(asked.learning(), turn.context.page(asked.range())));
        }
    }

    void sendRow(Turn turn, String from, Learning learning, ObjectKey key) {
        if (isSource(turn, learning)) {
            turn.add(new Action.SendRow(from, learning, key));
        }
    }

    void learned(Turn turn, String from, Learning learning) {
        boolean learner = row.member(from)
                .filter(member -> !member.inSync()
                        && member.incarnation() == learning.incarnation()
                        && turn.rules.learnsSince(member, since) == learning.since())
                .isPresent();
        if (learner && isSource(turn, learning)) {
            turn.propose(new Proposal.Promote(row.epoch(), from, learning.incarnation()));
        }
    }

    private boolean isSource(Turn turn, Learning learning) {
        return isOpen() && turn.context.leased() && learning.primarySince() == since && row.epoch() >= learning.since();
    }

    private boolean isSettled(Turn turn, long epoch, Replica replica) {
        return turn.rules.listsWhileUndecided()
                || (!replica.lags(epoch)
                        && writes.values().stream()
                                .allMatch(write -> write.decided() || write.version.epoch() >= epoch));
    }
}
