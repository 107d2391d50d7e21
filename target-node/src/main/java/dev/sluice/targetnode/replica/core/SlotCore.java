package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.Generation;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.List;
import java.util.Optional;

/// The replication protocol for one slot of one group on one drive, in one process: primary–backup with a log of
/// memberships (PacificA, vertical Paxos). The drive is primary, member or learner, as the newest applied row says.
///
/// **Use.** Events of one core are handed in one after the other, under the slot's lock. The actions returned are
/// carried out in their order, and before those of the next event: an event that an action causes at once waits. Only
/// {@link #serving()} may be called from any thread at any time.
///
/// **Reads.** Take `serving()`, look at the row in the store, take `serving()` again: both open, with the same
/// `primarySince`; then check the lease; then answer.
///
/// **A new process** makes a new core with the incarnation that the log gave it, hands in the open intents of the drive
/// ({@link Event.Recovered}), then rows and messages. A core is also made for a drive that is in no row: it may be on a
/// fence list, and must acknowledge.
public final class SlotCore {
    private static final SlotRow NO_ROW = new SlotRow(0, List.of(new Member("", true, 0, 0)), 0, 0, List.of(), false);

    private final String drive;
    private final int incarnation;
    private final Rules rules;
    private final Replica replica = new Replica();
    private Role role = Role.FOLLOWER;
    private SlotRow row = NO_ROW;
    private boolean surplus;

    /// The newest epoch that was acknowledged or applied.
    private long seen;

    /// A fence to be acknowledged as soon as all intents are durable.
    private Optional<Event.Received> fence = Optional.empty();

    /// Of the last row in which the drive was in-sync; a restart forgets it.
    private long inSyncIn = -1;

    /// While the drive has no part in the slot.
    private Optional<Leftovers> leftovers = Optional.empty();

    private volatile Serving serving = Serving.NONE;
    private volatile int inSync;
    private volatile int positions;
    private volatile int primaryPosition;

    public SlotCore(String drive, int incarnation) {
        this(drive, incarnation, Rules.PROTOCOL);
    }

    SlotCore(String drive, int incarnation, Rules rules) {
        this.drive = drive;
        this.incarnation = incarnation;
        this.rules = rules;
    }

    public List<Action> on(Event event, SlotContext context) {
        var step = new EventStep(drive, incarnation, rules, context);
        handle(step, event);
        for (var own = step.own(); own.isPresent(); own = step.own()) {
            receive(step, new Event.Received(drive, own.get()));
        }
        publish(step);
        return step.actions;
    }

    /// The primacy under which this drive serves the slot, {@link Serving#NONE} if it does not.
    public Serving serving() {
        return serving;
    }

    /// The epoch of the applied row; 0 before the first.
    public long epoch() {
        return row.epoch();
    }

    /// How many in-sync members the applied row has. From any thread.
    public int inSync() {
        return inSync;
    }

    /// How many different positions they have. From any thread.
    public int positions() {
        return positions;
    }

    /// Which slice of an object the primary of the applied row has. From any thread.
    public int primaryPosition() {
        return primaryPosition;
    }

    /// Whether the drive has this slice of a write as an open intent, or is about to.
    public boolean hasOpen(ObjectKey key, Slice slice) {
        return replica.isOpen(key, slice);
    }

    /// Whether the drive is no member, and nobody will ask for what it has of the slot: the newest row it knows of was
    /// opened without it.
    public boolean hasNoPart() {
        return row.epoch() > 0
                && leads()
                && row.opened()
                && row.member(drive).isEmpty()
                && !row.fence().contains(drive);
    }

    /// Whether nothing of a slot in which the drive has no part is left on it.
    public boolean isPurged() {
        return leftovers.filter(Leftovers::areGone).isPresent();
    }

    /// What this drive copies; empty unless it is a learner that has not copied all of it.
    public Optional<Copying> copying() {
        return role instanceof Learner learner ? learner.copying() : Optional.empty();
    }

    /// Whether something is unanswered, so that a tick would repeat it.
    public boolean waits() {
        return switch (role) {
            case Role.Follower _ -> surplus;
            case Primary primary -> surplus || primary.waits();
            case Learner _ -> true;
        };
    }

    private void handle(EventStep step, Event event) {
        switch (event) {
            case Event.Recovered recovered -> replica.recovered(recovered.open());
            case Event.RowApplied applied -> apply(step, applied);
            case Event.Write write -> write(step, write);
            case Event.Received received -> receive(step, received);
            case Event.Done done -> done(step, done.action());
            case Event.Failed failed -> failed(step, failed.action());
            case Event.Pulled pulled when role instanceof Learner learner -> learner.pulled(step, pulled, replica);
            case Event.PullFailed failed when role instanceof Learner learner -> learner.pullFailed(failed);
            case Event.Pulled _, Event.PullFailed _ -> {}
            case Event.Tick _ -> tick(step);
            case Event.Purge _ -> purge(step);
        }
    }

    private void tick(EventStep step) {
        switch (role) {
            case Primary primary when leads() -> primary.tick(step, replica);
            case Learner learner -> learner.tick(step);
            case Primary _, Role.Follower _ -> {}
        }
        expel(step);
    }

    /// Whether nothing newer than the applied row was acknowledged.
    private boolean leads() {
        return rules.leads(row.epoch(), seen);
    }

    /// Whether readers find the right rows: the fence is over, and the store shows what it decided.
    private boolean serves() {
        return role instanceof Primary primary
                && primary.isOpen()
                && leads()
                && (rules.servesWhileLagging() || !replica.lags(primary.since()));
    }

    private void purge(EventStep step) {
        if (hasNoPart() && step.context.leased()) {
            var now = leftovers.orElseGet(Leftovers::new);
            leftovers = Optional.of(now);
            long generation = Generation.of(row.epoch());
            now.purge(step, replica, inSyncIn == generation ? 0 : generation);
        }
    }

    private void publish(EventStep step) {
        boolean open = serves();
        var now = open ? new Serving(row.epoch(), row.primarySince(), row.driveSince()) : Serving.NONE;
        if (!now.equals(serving)) {
            serving = now;
            step.add(open ? new Action.Open(now) : new Action.Close());
        }
    }

    // -- the row

    private void apply(EventStep step, Event.RowApplied applied) {
        if (applied.row().epoch() < row.epoch()) {
            return;
        }
        if (applied.row().epoch() > row.epoch()) {
            replica.newEpoch();
        }
        row = applied.row();
        inSync = row.inSync().size();
        positions = row.positions();
        primaryPosition = row.primary().position();
        leftovers = Optional.empty();
        surplus = applied.surplus();
        seen = Math.max(seen, row.epoch());
        var me = row.member(drive).filter(member -> member.incarnation() == incarnation);
        if (me.filter(Member::inSync).isPresent()) {
            inSyncIn = Generation.of(row.epoch());
        }
        if (me.isPresent() && me.get().equals(row.primary())) {
            lead(step);
        } else if (me.isPresent() && !me.get().inSync()) {
            learn(step, me.get());
        } else {
            become(step, Role.FOLLOWER);
        }
        expel(step);
    }

    private void lead(EventStep step) {
        if (role instanceof Primary primary && rules.samePrimacy(row.primarySince(), primary.since())) {
            primary.apply(row);
        } else {
            become(step, new Primary(row));
        }
        if (role instanceof Primary primary && leads()) {
            primary.tick(step, replica);
        }
    }

    private void learn(EventStep step, Member me) {
        var learning = new Learning(row.primarySince(), rules.learnsSince(me, row.primarySince()), incarnation);
        if (!(role instanceof Learner learner && learner.learning().equals(learning))) {
            var learner = new Learner(learning, row.primary().drive(), me.position());
            become(step, learner);
            learner.begin(step, replica);
        }
    }

    private void become(EventStep step, Role next) {
        if (role instanceof Primary former) {
            former.end(step);
        }
        role = next;
        replica.learning(next instanceof Learner);
    }

    /// Asks that members go who are down or out, or more than the group wants.
    private void expel(EventStep step) {
        boolean member = row.member(drive)
                .filter(me -> me.inSync() && me.incarnation() == incarnation)
                .isPresent();
        if (surplus && member && step.context.leased()) {
            step.propose(new Proposal.Expel(row.epoch(), drive, incarnation));
        }
    }

    // -- requests, messages

    private void write(EventStep step, Event.Write write) {
        if (role instanceof Primary primary && serves()) {
            primary.write(step, write, replica);
        } else {
            step.add(new Action.Answer(write.ticket(), Action.Outcome.FAILED));
        }
    }

    private void receive(EventStep step, Event.Received received) {
        var from = received.from();
        switch (received.message()) {
            case Message.Prepare prepare when takes(prepare.epoch()) -> replica.prepare(step, from, prepare);
            case Message.Fate fate when takes(fate.epoch()) -> replica.fate(step, from, fate);
            case Message.Fence asked
            when rules.accepts(asked.epoch(), seen) -> {
                seen = Math.max(seen, asked.epoch());
                fence = Optional.of(received);
                acknowledge(step);
            }
            case Message.AskVersions asked when rules.accepts(asked.epoch(), seen) -> versions(step, from, asked);
            case Message.Listing listing
            when role instanceof Learner learner -> learner.listing(step, listing, replica);
            case Message answer when role instanceof Primary primary && leads() -> receive(step, from, answer, primary);
            case Message _ -> {}
        }
    }

    private void receive(EventStep step, String from, Message message, Primary primary) {
        switch (message) {
            case Message.Fenced fenced -> primary.fenced(step, from, fenced, replica);
            case Message.Versions versions -> primary.versions(step, from, versions, replica);
            case Message.Prepared prepared -> primary.prepared(step, from, prepared, replica);
            case Message.Refused refused -> primary.refused(step, from, refused, replica);
            case Message.FateKnown known -> primary.fateKnown(step, from, known, replica);
            case Message.AskListing asked -> primary.list(step, from, asked, replica);
            case Message.AskRow asked -> primary.sendRow(step, from, asked.learning(), asked.key());
            case Message.Learned learned -> primary.learned(step, from, learned.learning());
            case Message _ -> {}
        }
    }

    private boolean takes(long epoch) {
        return rules.accepts(epoch, seen) && rules.takesWrites(epoch, row.epoch());
    }

    private void acknowledge(EventStep step) {
        fence.filter(_ -> rules.acknowledgesWhileStoring() || !replica.isStoring())
                .ifPresent(asked -> {
                    fence = Optional.empty();
                    step.send(asked.from(), new Message.Fenced(seen, incarnation, replica.intents()));
                });
    }

    private void versions(EventStep step, String from, Message.AskVersions asked) {
        var rows = asked.keys().stream()
                .<KeyVersion>mapMulti((key, found) ->
                        replica.row(step, key).ifPresent(slice -> found.accept(new KeyVersion(key, slice))))
                .toList();
        step.send(from, new Message.Versions(asked.epoch(), incarnation, asked.keys(), rows));
    }

    // -- the store's answers

    private void done(EventStep step, Action.Local action) {
        switch (action) {
            case Action.StoreIntent intent -> {
                replica.stored(step, intent);
                acknowledge(step);
            }
            case Action.Settle settle -> {
                replica.changed(settle.key(), settle);
                settle.then().ifPresent(then -> order(step, then));
            }
            case Action.DeleteRow delete -> replica.changed(delete.key(), delete);
            case Action.StorePulled stored -> {
                replica.changed(stored.key(), stored);
                if (role instanceof Learner learner) {
                    learner.stored(step, stored);
                }
            }
            case Action.SyncSlot synced -> {
                if (role instanceof Learner learner) {
                    learner.synced(step, synced);
                }
            }
        }
    }

    private void failed(EventStep step, Action.Local action) {
        switch (action) {
            case Action.StoreIntent intent -> {
                if (!replica.refused(step, intent)) {
                    lacks(intent.intent().key());
                }
                acknowledge(step);
            }
            case Action.StorePulled stored -> {
                replica.changed(stored.key(), stored);
                lacks(stored.key());
            }
            case Action.Settle _, Action.DeleteRow _, Action.SyncSlot _ ->
                throw new IllegalArgumentException("needs no space: " + action);
        }
    }

    private void lacks(ObjectKey key) {
        if (role instanceof Learner learner) {
            learner.lacks(key);
        }
    }

    private static void order(EventStep step, Action then) {
        if (then instanceof Action.Send send) {
            step.send(send.drive(), send.message());
        } else {
            step.add(then);
        }
    }
}
