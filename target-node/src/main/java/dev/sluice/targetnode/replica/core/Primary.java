package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
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
    void end(EventStep step) {
        for (var write : writes.values()) {
            if (!write.decided()) {
                step.add(new Action.Answer(write.ticket, Action.Outcome.UNKNOWN));
            }
        }
        writes = Map.of();
    }

    void tick(EventStep step, Replica replica) {
        if (!isOpen()) {
            fence(step, replica);
            return;
        }
        if (!row.opened()) {
            step.propose(new Proposal.Opened(row.epoch()));
        }
        for (var write : List.copyOf(writes.values())) {
            ask(step, write, replica);
            finish(step, write, replica);
        }
    }

    // -- fence

    void fenced(EventStep step, String from, Message.Fenced fenced, Replica replica) {
        fencing.ifPresent(open -> {
            boolean before = open.isFenced(step, row);
            open.fenced(step, from, fenced);
            if (!before && open.isFenced(step, row)) {
                fence(step, replica);
            }
        });
    }

    void versions(EventStep step, String from, Message.Versions versions, Replica replica) {
        fencing.ifPresent(open -> {
            open.versions(step, from, versions);
            if (open.isComplete(step, row)) {
                fence(step, replica);
            }
        });
    }

    private void fence(EventStep step, Replica replica) {
        var open = fencing.orElseThrow();
        if (!open.isComplete(step, row)) {
            open.ask(step, row);
            return;
        }
        fencing = Optional.empty();
        for (var verdict : open.verdicts(step)) {
            replica.settle(step, verdict.key(), verdict.version(), verdict.commit(), false, Optional.empty());
            var state = verdict.commit() ? Write.State.COMMITTED : Write.State.ABORTED;
            var write = new Write(0, verdict.key(), verdict.version(), verdict.delete(), state);
            writes = SparseMap.with(writes, write.version, write);
        }
        tick(step, replica);
    }

    // -- writes

    void write(EventStep step, Event.Write wanted, Replica replica) {
        if (!isOpen() || !step.context.leased()) {
            step.add(new Action.Answer(wanted.ticket(), Action.Outcome.FAILED));
            return;
        }
        var version = step.rules.version(row.epoch(), step.incarnation, step.context.nextCounter());
        given = version;
        var write = new Write(wanted.ticket(), wanted.key(), version, wanted.delete(), Write.State.PREPARING);
        writes = SparseMap.with(writes, version, write);
        step.add(new Action.Accepted(wanted.ticket(), version));
        ask(step, write, replica);
    }

    /// Sends to each member what it has not answered yet.
    private void ask(EventStep step, Write write, Replica replica) {
        for (var member : row.members()) {
            if (!write.answered.contains(member.drive())
                    && !(write.decided() && member.drive().equals(step.drive))) {
                step.send(member.drive(), question(step, write, member, replica));
            }
        }
    }

    private Message question(EventStep step, Write write, Member member, Replica replica) {
        var below = settledBelow();
        return switch (write.state) {
            case PREPARING -> {
                var base = replica.row(step, write.key).map(Slice::version);
                int position = write.delete ? 0 : member.position();
                yield new Message.Prepare(row.epoch(), write.key, write.version, write.delete, position, base, below);
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

    void prepared(EventStep step, String from, Message.Prepared prepared, Replica replica) {
        var write = writes.get(prepared.version());
        boolean counts = step.rules.answers(prepared.epoch(), row.epoch());
        if (write != null && counts && write.state == Write.State.PREPARING) {
            write.answered.add(from);
            finish(step, write, replica);
        }
    }

    void refused(EventStep step, String from, Message.Refused refused, Replica replica) {
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
            ask(step, write, replica);
        } else {
            step.propose(new Proposal.TakeOff(row.epoch(), from, member.get().incarnation()));
            if (step.rules.skipsRefusing()) {
                write.answered.add(from);
                finish(step, write, replica);
            }
        }
    }

    void fateKnown(EventStep step, String from, Message.FateKnown known, Replica replica) {
        var write = writes.get(known.version());
        if (write == null || known.synced() != (write.state == Write.State.ABORTING)) {
            return;
        }
        if (write.decided() || (write.state == Write.State.ABORTING && known.epoch() == row.epoch())) {
            write.answered.add(from);
            finish(step, write, replica);
        }
    }

    private void finish(EventStep step, Write write, Replica replica) {
        if (write.decided()) {
            forgetIfKnown(step, write);
            return;
        }
        boolean preparing = write.state == Write.State.PREPARING;
        var members = members();
        var needed = preparing ? step.rules.mustPrepare(row, step.drive) : members;
        if (!isOpen() || !step.context.leased() || !write.answered.containsAll(needed)) {
            return;
        }
        if (preparing) {
            commit(step, write, replica);
        } else {
            step.add(new Action.Answer(write.ticket, Action.Outcome.FAILED));
            writes = SparseMap.without(writes, write.version);
        }
    }

    private void commit(EventStep step, Write write, Replica replica) {
        for (var older : List.copyOf(writes.values())) {
            if (older.decided() && older.key.equals(write.key)) {
                older.answered.addAll(members()); // the prepare's base told them
                forgetIfKnown(step, older);
            }
        }
        write.next(Write.State.COMMITTED);
        var answer = Optional.<Action>of(new Action.Answer(write.ticket, Action.Outcome.COMMITTED));
        replica.settle(step, write.key, write.version, true, false, answer);
        forgetIfKnown(step, write);
    }

    private void forgetIfKnown(EventStep step, Write write) {
        var others = new HashSet<>(members());
        others.remove(step.drive);
        if (write.answered.containsAll(others)) {
            writes = SparseMap.without(writes, write.version);
        }
    }

    private Set<String> members() {
        var drives = new HashSet<String>();
        row.members().forEach(member -> drives.add(member.drive()));
        return drives;
    }

    // -- learners

    void list(EventStep step, String from, Message.AskListing asked, Replica replica) {
        if (isSource(step, asked.learning()) && isSettled(step, asked.learning().since(), replica)) {
            step.send(from, new Message.Listing(asked.learning(), step.context.page(asked.range())));
        }
    }

    void sendRow(EventStep step, String from, Learning learning, ObjectKey key) {
        if (isSource(step, learning)) {
            step.add(new Action.SendRow(from, learning, key));
        }
    }

    void learned(EventStep step, String from, Learning learning) {
        boolean learner = row.member(from)
                .filter(member -> !member.inSync()
                        && member.incarnation() == learning.incarnation()
                        && step.rules.learnsSince(member, since) == learning.since())
                .isPresent();
        if (learner && isSource(step, learning)) {
            step.propose(new Proposal.Promote(row.epoch(), from, learning.incarnation()));
        }
    }

    private boolean isSource(EventStep step, Learning learning) {
        return isOpen() && step.context.leased() && learning.primarySince() == since && row.epoch() >= learning.since();
    }

    private boolean isSettled(EventStep step, long epoch, Replica replica) {
        return step.rules.listsWhileUndecided()
                || (!replica.lags(epoch)
                        && writes.values().stream()
                                .allMatch(write -> write.decided() || write.version.epoch() >= epoch));
    }
}
