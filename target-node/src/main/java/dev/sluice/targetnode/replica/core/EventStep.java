package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The handling of one event: what it may ask, and the actions that come of it.
final class EventStep {
    final String drive;
    final int incarnation;
    final Rules rules;
    final SlotContext context;
    final List<Action> actions = new ArrayList<>(4);
    private final ArrayDeque<Message> own = new ArrayDeque<>(2);

    EventStep(String drive, int incarnation, Rules rules, SlotContext context) {
        this.drive = drive;
        this.incarnation = incarnation;
        this.rules = rules;
        this.context = context;
    }

    void add(Action action) {
        actions.add(action);
    }

    /// A message of the drive to itself is handled within the turn.
    void send(String to, Message message) {
        if (to.equals(drive)) {
            own.add(message);
        } else {
            actions.add(new Action.Send(to, message));
        }
    }

    /// The next message of the drive to itself.
    Optional<Message> own() {
        return Optional.ofNullable(own.poll());
    }

    void propose(Proposal proposal) {
        actions.add(new Action.Propose(proposal));
    }

    void settle(ObjectKey key, ObjectVersion version, boolean commit, boolean sync, Optional<Action> then) {
        actions.add(new Action.Settle(key, version, commit, sync, then));
    }
}
