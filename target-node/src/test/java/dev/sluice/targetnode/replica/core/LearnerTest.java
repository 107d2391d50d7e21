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

/// A learner that was away, step by step: B learns from A, since epoch 5.
final class LearnerTest {
    private static final ObjectKey KEY = new ObjectKey(1, "shard");
    private static final ObjectVersion OLD = new ObjectVersion(1, 1);
    private static final ObjectVersion NEWER = new ObjectVersion(3, 7);
    private static final ObjectVersion NOW = new ObjectVersion(5, 9);
    private static final SlotRow ROW =
            new SlotRow(5, List.of(new Member("A", true, 1, 1), new Member("B", false, 2, 5)), 4, 4, List.of(), true);
    private static final Learning LEARNING = new Learning(4, 5, 2);

    private final MapContext context = new MapContext();
    private final SlotCore core = new SlotCore("B", 2);

    private List<Action> on(Event event) {
        return core.on(event, context);
    }

    private static Event.Received received(Message message) {
        return new Event.Received("A", message);
    }

    private static Action.Send send(Message message) {
        return new Action.Send("A", message);
    }

    private List<Action> list(KeyVersion... rows) {
        return on(received(new Message.Listing(LEARNING, new Page(KeyRange.ALL, List.of(rows)))));
    }

    private void begin(OpenIntent... open) {
        on(new Event.Recovered(List.of(open)));
        assertThat(on(new Event.RowApplied(ROW, false)))
                .containsExactly(send(new Message.AskListing(LEARNING, KeyRange.ALL)));
    }

    private static Action.Settle settle(ObjectVersion version, boolean commit) {
        return new Action.Settle(KEY, version, commit, false, Optional.empty());
    }

    @Test
    void differingRowIsPulledStoredSyncedAndThenTheLearnerHasLearned() {
        context.rows.put(KEY, NEWER);
        begin();
        var pull = new Action.Pull("A", LEARNING, KEY, 0);
        assertThat(list(new KeyVersion(KEY, OLD, 0))).as("the source wins").containsExactly(pull);
        on(new Event.PullFailed(LEARNING, KEY));
        assertThat(on(new Event.Tick())).containsExactly(pull);
        var store = new Action.StorePulled(LEARNING, KEY, new Slice(OLD, 0));
        assertThat(on(new Event.Pulled(LEARNING, KEY, Optional.of(new Slice(OLD, 0)))))
                .containsExactly(store);
        var sync = new Action.SyncSlot(LEARNING);
        assertThat(on(new Event.Done(store))).containsExactly(sync);
        assertThat(on(new Event.Done(sync))).containsExactly(send(new Message.Learned(LEARNING)));
    }

    @Test
    void rowThatTheSourceLacksIsDeletedUnlessItIsNew() {
        context.rows.put(KEY, OLD);
        var kept = new ObjectKey(1, "written since");
        context.rows.put(kept, NOW);
        begin();
        assertThat(list()).containsExactly(new Action.DeleteRow(KEY, OLD), new Action.SyncSlot(LEARNING));
    }

    @Test
    void openIntentIsKeptUntilTheSourceSaysThatItWasCommitted() {
        begin(new OpenIntent(KEY, NEWER, false, 0));
        assertThat(list(new KeyVersion(KEY, NEWER, 0)))
                .containsExactly(settle(NEWER, true), new Action.SyncSlot(LEARNING));
    }

    @Test
    void openIntentThatTheSourceDoesNotHaveIsDropped() {
        begin(new OpenIntent(KEY, NEWER, false, 0));
        assertThat(list()).containsExactly(settle(NEWER, false), new Action.SyncSlot(LEARNING));
    }

    @Test
    void pulledRowThatWasDeletedMeanwhileIsDropped() {
        begin();
        list(new KeyVersion(KEY, NEWER, 0));
        on(received(new Message.Prepare(5, KEY, NOW, true, 0, Optional.of(NEWER), NOW)));
        on(new Event.Done(new Action.StoreIntent(new OpenIntent(KEY, NOW, true, 0))));
        on(received(new Message.Fate(5, KEY, NOW, true, false, NOW)));
        assertThat(on(new Event.Pulled(LEARNING, KEY, Optional.of(new Slice(NEWER, 0)))))
                .containsExactly(new Action.SyncSlot(LEARNING));
    }

    @Test
    void newPrimaryMeansBeginningAgainWithEverythingOld() {
        begin();
        var moved = new SlotRow(
                6, List.of(new Member("C", true, 3, 1), new Member("B", false, 2, 5)), 6, 6, List.of(), true);
        assertThat(on(new Event.RowApplied(moved, false)))
                .containsExactly(new Action.Send("C", new Message.AskListing(new Learning(6, 6, 2), KeyRange.ALL)));
    }

    // -- what the learner counted on finds no space

    private static final SlotRow MOVED =
            new SlotRow(6, List.of(new Member("C", true, 3, 1), new Member("B", false, 2, 5)), 6, 6, List.of(), true);
    private static final Learning FROM_C = new Learning(6, 6, 2);

    /// C is the primary now, and has this row only.
    private List<Action> listedByNewPrimary(ObjectVersion version) {
        on(new Event.RowApplied(MOVED, false));
        var page = new Page(KeyRange.ALL, List.of(new KeyVersion(KEY, version, 0)));
        return on(new Event.Received("C", new Message.Listing(FROM_C, page)));
    }

    private void requirePullThenSync() {
        assertThat(on(new Event.Tick())).containsExactly(new Action.Pull("C", FROM_C, KEY, 0));
        var sync = new Action.SyncSlot(FROM_C);
        assertThat(on(new Event.Done(sync))).as("the sync of before").isEmpty();
        var store = new Action.StorePulled(FROM_C, KEY, new Slice(NOW, 0));
        assertThat(on(new Event.Pulled(FROM_C, KEY, Optional.of(new Slice(NOW, 0)))))
                .containsExactly(store);
        assertThat(on(new Event.Done(store))).containsExactly(sync);
        assertThat(on(new Event.Done(sync))).containsExactly(new Action.Send("C", new Message.Learned(FROM_C)));
    }

    @Test
    void rowPulledFromTheFormerPrimaryIsPulledAgainWhenItFoundNoSpace() {
        begin();
        list(new KeyVersion(KEY, NOW, 0));
        var store = new Action.StorePulled(LEARNING, KEY, new Slice(NOW, 0));
        assertThat(on(new Event.Pulled(LEARNING, KEY, Optional.of(new Slice(NOW, 0)))))
                .containsExactly(store);
        assertThat(listedByNewPrimary(NOW)).containsExactly(new Action.SyncSlot(FROM_C));
        on(new Event.Failed(store));
        requirePullThenSync();
    }

    @Test
    void intentThatTheSourceCommittedIsPulledWhenItFoundNoSpace() {
        begin();
        on(received(new Message.Prepare(5, KEY, NOW, false, 0, Optional.empty(), NOW)));
        assertThat(listedByNewPrimary(NOW)).containsExactly(settle(NOW, true), new Action.SyncSlot(FROM_C));
        on(new Event.Failed(new Action.StoreIntent(new OpenIntent(KEY, NOW, false, 0))));
        on(new Event.Done(settle(NOW, true)));
        requirePullThenSync();
    }

    /// The store may answer syncs out of order.
    @Test
    void learnerHasLearnedWhenAllItsSyncsAreDone() {
        begin();
        list(new KeyVersion(KEY, NOW, 0));
        var former = new Action.StorePulled(LEARNING, KEY, new Slice(NOW, 0));
        on(new Event.Pulled(LEARNING, KEY, Optional.of(new Slice(NOW, 0))));
        listedByNewPrimary(NOW);
        on(new Event.Failed(former));
        on(new Event.Tick());
        on(new Event.Pulled(FROM_C, KEY, Optional.of(new Slice(NOW, 0))));
        var sync = new Action.SyncSlot(FROM_C);
        assertThat(on(new Event.Done(new Action.StorePulled(FROM_C, KEY, new Slice(NOW, 0)))))
                .containsExactly(sync);
        assertThat(on(new Event.Done(sync))).isEmpty();
        assertThat(on(new Event.Done(sync))).containsExactly(new Action.Send("C", new Message.Learned(FROM_C)));
    }
}
