package dev.sluice.targetnode.replica.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Members of a slot have slices, step by step: what a drive has at another position than its own counts as absent.
final class CodedSlotTest {
    private static final ObjectKey KEY = new ObjectKey(1, "shard");
    private static final ObjectVersion OLD = new ObjectVersion(1, 1);
    private static final ObjectVersion NEWER = new ObjectVersion(3, 7);
    private static final Member A = new Member("A", true, 1, 1, 0);
    private static final Member B = new Member("B", true, 2, 1, 2);
    private static final Member C = new Member("C", true, 3, 1, 1);
    private static final SlotRow ROW = new SlotRow(2, List.of(A, B, C), 2, 2, List.of("A", "B", "C"), false);
    private static final OpenIntent OF_A = new OpenIntent(KEY, OLD, false, 0);

    private final MapContext context = new MapContext();

    private List<Action> on(SlotCore core, Event event) {
        return core.on(event, context);
    }

    private static Event.Received received(String from, Message message) {
        return new Event.Received(from, message);
    }

    private static Action.Send send(String drive, Message message) {
        return new Action.Send(drive, message);
    }

    // -- prepare

    private static SlotRow learnsAt(int position) {
        return new SlotRow(5, List.of(A, C, new Member("B", false, 2, 5, position)), 4, 4, List.of(), true);
    }

    private static Message.Prepare prepare(int position) {
        return new Message.Prepare(5, KEY, NEWER, false, position, Optional.empty(), OLD);
    }

    private static Action.Settle drop(ObjectVersion version) {
        return new Action.Settle(KEY, version, false, false, Optional.empty());
    }

    @Test
    void eachMemberIsAskedForItsOwnSliceAndForDeletionsLikeAllOthers() {
        var core = new SlotCore("A", 1);
        var first = new SlotRow(SlotRow.FIRST, List.of(A, B, C), SlotRow.FIRST, SlotRow.FIRST, List.of(), false);
        on(core, new Event.RowApplied(first, false));
        var put = new ObjectVersion(1, (1L << 32) + 1);
        assertThat(on(core, new Event.Write(7, KEY, false)))
                .contains(
                        send("B", new Message.Prepare(1, KEY, put, false, 2, Optional.empty(), put)),
                        send("C", new Message.Prepare(1, KEY, put, false, 1, Optional.empty(), put)),
                        new Action.StoreIntent(new OpenIntent(KEY, put, false, 0)));
        var other = new ObjectKey(1, "other");
        var deletion = new ObjectVersion(1, (1L << 32) + 2);
        assertThat(on(core, new Event.Write(8, other, true)))
                .contains(send("B", new Message.Prepare(1, other, deletion, true, 0, Optional.empty(), put)));
    }

    /// The write was prepared here when the drive had another position, and is sent again.
    @Test
    void preparedSliceOfAnotherPositionIsReplacedWhenTheWriteIsSentAgain() {
        var core = new SlotCore("B", 2);
        on(core, new Event.Recovered(List.of(new OpenIntent(KEY, NEWER, false, 2))));
        on(core, new Event.RowApplied(learnsAt(1), false));
        var store = new Action.StoreIntent(new OpenIntent(KEY, NEWER, false, 1));
        assertThat(on(core, received("A", prepare(1)))).containsExactly(drop(NEWER), store);
        assertThat(core.hasOpen(KEY, new Slice(NEWER, 1))).isTrue();
        assertThat(core.hasOpen(KEY, new Slice(NEWER, 2))).isFalse();
        assertThat(on(core, new Event.Done(store))).contains(send("A", new Message.Prepared(5, KEY, NEWER)));
    }

    @Test
    void sliceThatWasStoredLateForAnotherPositionIsNoAnswer() {
        var core = new SlotCore("B", 2);
        on(core, new Event.RowApplied(learnsAt(2), false));
        on(core, received("A", prepare(2)));
        var moved = new SlotRow(6, List.of(A, C, new Member("B", false, 2, 6, 1)), 4, 4, List.of(), true);
        on(core, new Event.RowApplied(moved, false));
        var again = new Message.Prepare(6, KEY, NEWER, false, 1, Optional.empty(), OLD);
        on(core, received("A", again));
        var late = new Action.StoreIntent(new OpenIntent(KEY, NEWER, false, 2));
        assertThat(on(core, new Event.Done(late))).isEmpty();
        assertThat(on(core, new Event.Done(new Action.StoreIntent(new OpenIntent(KEY, NEWER, false, 1)))))
                .containsExactly(send("A", new Message.Prepared(6, KEY, NEWER)));
    }

    // -- fence

    /// A has its intent; B and C say what they have.
    private List<Action> fence(OpenIntent ofB, List<KeyVersion> rowsOfC) {
        var core = new SlotCore("A", 1);
        on(core, new Event.Recovered(List.of(OF_A)));
        on(core, new Event.RowApplied(ROW, false));
        on(core, received("B", new Message.Fenced(2, 2, List.of(ofB))));
        on(core, received("C", new Message.Fenced(2, 3, List.of())));
        on(core, received("B", new Message.Versions(2, 2, List.of(KEY), List.of())));
        return on(core, received("C", new Message.Versions(2, 3, List.of(KEY), rowsOfC)));
    }

    private static Action.Settle verdict(boolean commit) {
        return new Action.Settle(KEY, OLD, commit, false, Optional.empty());
    }

    @Test
    void writeOfWhichEachMemberHasItsSliceIsCommittedOnce() {
        var actions = fence(new OpenIntent(KEY, OLD, false, 2), List.of(new KeyVersion(KEY, OLD, 1)));
        assertThat(actions).filteredOn(Action.Settle.class::isInstance).containsExactly(verdict(true));
    }

    @Test
    void writeOfWhichAMemberHasAnotherSliceIsAborted() {
        assertThat(fence(new OpenIntent(KEY, OLD, false, 1), List.of(new KeyVersion(KEY, OLD, 1))))
                .contains(verdict(false));
    }

    /// A row is proof that its version was committed; a newer one has gone over it.
    @Test
    void rowCountsWhateverItsSlice() {
        assertThat(fence(new OpenIntent(KEY, OLD, false, 2), List.of(new KeyVersion(KEY, OLD, 0))))
                .contains(verdict(true));
        assertThat(fence(new OpenIntent(KEY, OLD, false, 2), List.of(new KeyVersion(KEY, OLD, Slice.NONE))))
                .contains(verdict(true));
        assertThat(fence(new OpenIntent(KEY, OLD, false, 2), List.of(new KeyVersion(KEY, NEWER, 0))))
                .contains(verdict(true));
    }

    // -- learner

    private static final Learning LEARNING = new Learning(4, 5, 2);

    /// The source has the version of 3.
    private List<Action> compare(SlotCore core, OpenIntent... open) {
        on(core, new Event.Recovered(List.of(open)));
        on(core, new Event.RowApplied(learnsAt(1), false));
        var page = new Page(KeyRange.ALL, List.of(new KeyVersion(KEY, NEWER, 0)));
        return on(core, received("A", new Message.Listing(LEARNING, page)));
    }

    private static final Action.Pull PULL = new Action.Pull("A", LEARNING, KEY, 1);

    @Test
    void rowOfAnotherPositionIsPulledThoughItsVersionIsTheSources() {
        context.rows.put(KEY, NEWER);
        context.position = 2;
        var core = new SlotCore("B", 2);
        assertThat(compare(core)).containsExactly(PULL);
        var slice = new Slice(NEWER, 1);
        assertThat(on(core, new Event.Pulled(LEARNING, KEY, Optional.of(slice))))
                .containsExactly(new Action.StorePulled(LEARNING, KEY, slice));
    }

    @Test
    void rowOfItsOwnPositionIsNotPulled() {
        context.rows.put(KEY, NEWER);
        context.position = 1;
        assertThat(compare(new SlotCore("B", 2))).containsExactly(new Action.SyncSlot(LEARNING));
    }

    @Test
    void intentOfAnotherPositionIsDroppedAndPulledThoughTheSourceCommittedIt() {
        assertThat(compare(new SlotCore("B", 2), new OpenIntent(KEY, NEWER, false, 2)))
                .containsExactly(drop(NEWER), PULL);
    }

    /// All members together cannot make it. What is here of it may be of use to somebody.
    @Test
    void recordWithoutBytesReplacesAnotherVersionAndNoSlice() {
        var none = new Slice(NEWER, Slice.NONE);
        var pulled = new Event.Pulled(LEARNING, KEY, Optional.of(none));
        var sync = new Action.SyncSlot(LEARNING);
        context.rows.put(KEY, OLD);
        context.position = 1;
        var core = new SlotCore("B", 2);
        assertThat(compare(core)).containsExactly(PULL);
        assertThat(on(core, pulled)).containsExactly(new Action.StorePulled(LEARNING, KEY, none));
        context.rows.put(KEY, NEWER);
        context.position = 2;
        var other = new SlotCore("B", 2);
        assertThat(compare(other)).containsExactly(PULL);
        assertThat(on(other, pulled)).containsExactly(sync);
    }
}
