package dev.sluice.targetnode.replica.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// One step at a time, where the simulation shows only the outcome.
final class SlotCoreTest {
    private static final ObjectKey KEY = new ObjectKey(1, "shard");
    private static final Member FIRST = new Member("A", true, 1, 1);
    private static final Member SECOND = new Member("B", true, 2, 1);
    /// Of an epoch before it the drives may have writes: it begins with a fence.
    private static final SlotRow ROW = new SlotRow(2, List.of(FIRST, SECOND), 2, 2, List.of(), true);
    private static final ObjectVersion VERSION = new ObjectVersion(2, (1L << 32) + 1);
    private static final ObjectVersion OLDER = new ObjectVersion(1, 1);

    private final MapContext context = new MapContext();

    private SlotCore primary(List<OpenIntent> ofSecond) {
        var core = new SlotCore("A", 1);
        assertThat(on(core, new Event.RowApplied(ROW, false))).containsExactly(send("B", new Message.Fence(2)));
        on(core, received("B", new Message.Fenced(2, 2, ofSecond)));
        return core;
    }

    private static Action.Send send(String drive, Message message) {
        return new Action.Send(drive, message);
    }

    private static Event.Received received(String from, Message message) {
        return new Event.Received(from, message);
    }

    private List<Action> on(SlotCore core, Event event) {
        return core.on(event, context);
    }

    @Test
    void putIsCommittedWhenBothMembersHaveItAndAnsweredWhenTheStoreShowsIt() {
        var core = primary(List.of());
        assertThat(core.serving()).isEqualTo(new Serving(2, 2, 2));
        var store = new Action.StoreIntent(new OpenIntent(KEY, VERSION, false, 0));
        assertThat(on(core, new Event.Write(7, KEY, false)))
                .containsExactly(
                        new Action.Accepted(7, VERSION),
                        send("B", new Message.Prepare(2, KEY, VERSION, false, 0, Optional.empty(), VERSION)),
                        store);
        assertThat(on(core, received("B", new Message.Prepared(2, KEY, VERSION))))
                .isEmpty();
        var answer = new Action.Answer(7, Action.Outcome.COMMITTED);
        var settle = new Action.Settle(KEY, VERSION, true, false, Optional.of(answer));
        assertThat(on(core, new Event.Done(store))).containsExactly(settle);
        assertThat(on(core, new Event.Done(settle))).containsExactly(answer);
        assertThat(core.waits()).isTrue();
        on(core, received("B", new Message.FateKnown(2, KEY, VERSION, false)));
        assertThat(core.waits()).isFalse();
    }

    @Test
    void memberStoresThePrepareAndSettlesIt() {
        var core = new SlotCore("B", 2);
        on(core, new Event.RowApplied(ROW, false));
        var store = new Action.StoreIntent(new OpenIntent(KEY, VERSION, false, 0));
        var prepare = new Message.Prepare(2, KEY, VERSION, false, 0, Optional.empty(), VERSION);
        assertThat(on(core, received("A", prepare))).containsExactly(store);
        assertThat(on(core, new Event.Done(store))).containsExactly(send("A", new Message.Prepared(2, KEY, VERSION)));
        var fate = new Message.Fate(2, KEY, VERSION, true, false, VERSION);
        var settle = new Action.Settle(KEY, VERSION, true, false, Optional.empty());
        var known = send("A", new Message.FateKnown(2, KEY, VERSION, false));
        assertThat(on(core, received("A", fate))).containsExactly(settle, known);
        assertThat(on(core, received("A", fate))).containsExactly(known);
        assertThat(on(core, received("A", prepare))).as("a late copy").isEmpty();
    }

    /// Nothing was written before.
    @Test
    void firstEpochOpensWithoutAFence() {
        var core = new SlotCore("A", 1);
        var first = new SlotRow(SlotRow.FIRST, List.of(FIRST, SECOND), SlotRow.FIRST, SlotRow.FIRST, List.of(), false);
        assertThat(on(core, new Event.RowApplied(first, false)))
                .contains(new Action.Open(new Serving(1, 1, 1)))
                .doesNotContain(send("B", new Message.Fence(1)));
        assertThat(core.serving()).isEqualTo(new Serving(1, 1, 1));
    }

    /// A versions round, and reads only when the store shows what it decided.
    @Test
    void openIntentThatEveryMemberHasIsCommittedBeforeTheSlotIsServed() {
        context.rows.put(KEY, OLDER);
        var core = new SlotCore("A", 1);
        var intent = new OpenIntent(KEY, new ObjectVersion(1, 2), false, 0);
        on(core, new Event.Recovered(List.of(intent)));
        on(core, new Event.RowApplied(new SlotRow(2, List.of(FIRST, SECOND), 2, 2, List.of("B"), false), false));
        assertThat(on(core, received("B", new Message.Fenced(2, 2, List.of(intent)))))
                .containsExactly(send("B", new Message.AskVersions(2, List.of(KEY))));
        var versions = new Message.Versions(2, 2, List.of(KEY), List.of(new KeyVersion(KEY, OLDER, 0)));
        var settle = new Action.Settle(KEY, intent.version(), true, false, Optional.empty());
        assertThat(on(core, received("B", versions)))
                .startsWith(settle)
                .doesNotContain(new Action.Open(new Serving(2, 2, 2)));
        assertThat(core.serving().open()).isFalse();
        assertThat(on(core, new Event.Done(settle))).contains(new Action.Open(new Serving(2, 2, 2)));
    }

    @Test
    void fenceIsAcknowledgedWhenAllIntentsAreDurable() {
        var core = new SlotCore("B", 2);
        on(core, new Event.RowApplied(ROW, false));
        var store = new Action.StoreIntent(new OpenIntent(KEY, VERSION, false, 0));
        on(core, received("A", new Message.Prepare(2, KEY, VERSION, false, 0, Optional.empty(), VERSION)));
        assertThat(on(core, received("C", new Message.Fence(3)))).isEmpty();
        var intent = new OpenIntent(KEY, VERSION, false, 0);
        assertThat(on(core, new Event.Done(store))).contains(send("C", new Message.Fenced(3, 2, List.of(intent))));
        var late = new Message.Prepare(2, new ObjectKey(1, "late"), VERSION, false, 0, Optional.empty(), VERSION);
        assertThat(on(core, received("A", late))).isEmpty();
    }

    /// It may be the row that makes the drive a learner.
    @Test
    void prepareWaitsForTheRowOfItsEpoch() {
        var core = new SlotCore("B", 2);
        on(core, new Event.RowApplied(ROW, false));
        var early = new Message.Prepare(3, KEY, VERSION, false, 0, Optional.empty(), VERSION);
        assertThat(on(core, received("A", early))).isEmpty();
        on(core, new Event.RowApplied(new SlotRow(3, List.of(FIRST, SECOND), 2, 2, List.of(), true), false));
        assertThat(on(core, received("A", early)))
                .containsExactly(new Action.StoreIntent(new OpenIntent(KEY, VERSION, false, 0)));
    }

    /// The older put is still open on the second member: it has no row yet, and not no row any more.
    @Test
    void deletionThatAMemberLacksIsAborted() {
        var core = new SlotCore("A", 1);
        var deletion = new OpenIntent(KEY, new ObjectVersion(1, 3), true, 0);
        var put = new OpenIntent(KEY, new ObjectVersion(1, 2), false, 0);
        context.rows.put(KEY, put.version());
        on(core, new Event.Recovered(List.of(deletion)));
        on(core, new Event.RowApplied(new SlotRow(2, List.of(FIRST, SECOND), 2, 2, List.of(), false), false));
        on(core, received("B", new Message.Fenced(2, 2, List.of(put))));
        assertThat(on(core, received("B", new Message.Versions(2, 2, List.of(KEY), List.of()))))
                .contains(
                        new Action.Settle(KEY, deletion.version(), false, false, Optional.empty()),
                        send("B", new Message.Fate(2, KEY, put.version(), true, false, put.version())));
    }

    @Test
    void acknowledgementOfALaterLifeDoesNotCount() {
        var core = new SlotCore("A", 1);
        on(core, new Event.RowApplied(ROW, false));
        on(core, received("B", new Message.Fenced(2, 9, List.of())));
        assertThat(core.serving().open()).isFalse();
    }

    @Test
    void writesAreRefusedWithoutALease() {
        var core = primary(List.of());
        context.leased = false;
        assertThat(on(core, new Event.Write(7, KEY, false)))
                .containsExactly(new Action.Answer(7, Action.Outcome.FAILED));
    }

    /// The abort is synced everywhere before the client is told.
    @Test
    void refusalOfAnInSyncMemberFailsTheWrite() {
        var core = primary(List.of());
        on(core, new Event.Write(7, KEY, false));
        var abort = new Message.Fate(2, KEY, VERSION, false, true, VERSION);
        var known = new Message.FateKnown(2, KEY, VERSION, true);
        var settle = new Action.Settle(KEY, VERSION, false, true, Optional.of(send("A", known)));
        assertThat(on(core, received("B", new Message.Refused(2, KEY, VERSION))))
                .containsExactly(send("B", abort), settle);
        assertThat(on(core, received("B", known))).isEmpty();
        assertThat(on(core, new Event.Done(settle))).containsExactly(new Action.Answer(7, Action.Outcome.FAILED));
    }

    @Test
    void undecidedWritesHaveAnUnknownOutcomeWhenAnotherIsPrimary() {
        var core = primary(List.of());
        on(core, new Event.Write(7, KEY, false));
        var moved = new SlotRow(3, List.of(SECOND, FIRST), 3, 3, List.of("A", "B"), false);
        assertThat(on(core, new Event.RowApplied(moved, false)))
                .containsExactly(new Action.Answer(7, Action.Outcome.UNKNOWN), new Action.Close());
    }

    @Test
    void undecidedWritesArePreparedAgainUnderANewEpoch() {
        var core = primary(List.of());
        on(core, new Event.Write(7, KEY, false));
        on(core, received("B", new Message.Prepared(2, KEY, VERSION)));
        var learner = new Member("C", false, 3, 3);
        var wider = new SlotRow(3, List.of(FIRST, SECOND, learner), 2, 2, List.of(), true);
        var again = new Message.Prepare(3, KEY, VERSION, false, 0, Optional.empty(), VERSION);
        assertThat(on(core, new Event.RowApplied(wider, false))).contains(send("B", again), send("C", again));
    }
}
