package dev.sluice.targetnode.replica.core;

import static dev.sluice.targetnode.replica.core.ScriptedSlot.NOTHING;
import static dev.sluice.targetnode.replica.core.ScriptedSlot.REFUSED;
import static dev.sluice.targetnode.replica.core.ScriptedSlot.inSync;
import static dev.sluice.targetnode.replica.core.ScriptedSlot.learner;
import static dev.sluice.targetnode.replica.core.ScriptedSlot.row;
import static dev.sluice.targetnode.replica.core.ScriptedSlot.sentBy;
import static dev.sluice.targetnode.replica.core.ScriptedSlot.sentTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.SlotRow;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// For a rule each: a history in which breaking it loses a write or shows wrong data, and keeping it does not. The
/// simulation meets these histories rarely.
public final class BrokenRuleHistoriesTest {
    private static final SlotRow FIRST = row(1, 1, inSync("A", 1, 1), inSync("B", 2, 1));
    private static final SlotRow MOVED = row(2, 2, inSync("B", 2, 1), inSync("A", 1, 1));

    private static ScriptedSlot slot(Set<String> broken) {
        var slot = new ScriptedSlot(broken);
        slot.start("A", 1);
        slot.start("B", 2);
        slot.apply(FIRST, "A", "B");
        return slot;
    }

    /// Only A has the put. The fence of B decides about it; then the primary moves to A and back.
    private static List<String> readsAfterAPutThatOneMemberLacks(Set<String> broken) {
        var slot = slot(broken);
        slot.lose(sentTo("B", Message.Prepare.class));
        slot.put("A", 1);
        slot.loseNothing();
        slot.apply(MOVED, "A", "B");
        assertThat(slot.outcome(1)).contains(Action.Outcome.UNKNOWN);
        var first = slot.read("B");
        slot.apply(row(3, 3, inSync("A", 1, 1), inSync("B", 2, 1)), "A", "B");
        var second = slot.read("A");
        slot.apply(row(4, 4, inSync("B", 2, 1), inSync("A", 1, 1)), "A", "B");
        return List.of(first, second, slot.read("B"));
    }

    @Test
    @HistoryOf("commit_lacking")
    void objectComesAndGoesWhenAPutIsCommittedThatAMemberLacks() {
        assertThat(readsAfterAPutThatOneMemberLacks(Set.of())).containsExactly(NOTHING, NOTHING, NOTHING);
        assertThat(readsAfterAPutThatOneMemberLacks(Set.of("commit_lacking")))
                .containsExactly(NOTHING, "put 1", NOTHING);
    }

    /// The second put is acknowledged; B has it prepared. B becomes primary while its drive hangs.
    private static List<String> readsOfADriveThatLags(Set<String> broken) {
        var slot = slot(broken);
        slot.put("A", 1);
        slot.lose(sentTo("B", Message.Fate.class));
        slot.put("A", 2);
        assertThat(slot.outcome(2)).contains(Action.Outcome.COMMITTED);
        slot.hang("B");
        slot.apply(MOVED, "A", "B");
        var first = slot.read("B");
        slot.resume("B");
        return List.of(first, slot.read("B"));
    }

    @Test
    @HistoryOf("serve_lagging")
    void acknowledgedPutIsNotSeenWhenAPrimaryServesBeforeItsDriveShowsIt() {
        assertThat(readsOfADriveThatLags(Set.of())).containsExactly(REFUSED, "put 2");
        assertThat(readsOfADriveThatLags(Set.of("serve_lagging"))).containsExactly("put 1", "put 2");
    }

    /// B has the put still open and no row; it never got the delete. A fences again, then B is primary.
    private static List<String> readsAfterADeleteThatOneMemberLacks(Set<String> broken) {
        var slot = slot(broken);
        slot.lose(sentTo("B", Message.Fate.class));
        slot.put("A", 1);
        slot.lose(sentTo("B", Message.Prepare.class));
        slot.delete("A", 2);
        slot.loseNothing();
        slot.apply(row(2, 2, inSync("A", 1, 1), inSync("B", 2, 1)), "A", "B");
        var first = slot.read("A");
        slot.apply(row(3, 3, inSync("B", 2, 1), inSync("A", 1, 1)), "A", "B");
        return List.of(first, slot.read("B"));
    }

    @Test
    @HistoryOf("w_gone")
    void deletedObjectReturnsWhenNoRowProvesADeletionBesideAnOpenPut() {
        assertThat(readsAfterADeleteThatOneMemberLacks(Set.of())).containsExactly("put 1", "put 1");
        assertThat(readsAfterADeleteThatOneMemberLacks(Set.of("w_gone"))).containsExactly(NOTHING, "put 1");
    }

    /// All lose power. B's index is rebuilt, and B answers the fence of A before its own registration is applied.
    private static List<String> readsAfterAFenceThatALaterLifeAnswers(Set<String> broken) {
        var slot = slot(broken);
        slot.put("A", 1);
        assertThat(slot.outcome(1)).contains(Action.Outcome.COMMITTED);
        slot.cutPower("A");
        slot.cutPower("B");
        slot.wipe("B");
        slot.start("A", 3);
        slot.start("B", 4);
        slot.apply(row(2, 2, inSync("A", 3, 2), inSync("B", 2, 1)), "A");
        var first = slot.read("A");
        slot.apply(row(3, 2, inSync("A", 3, 2), learner("B", 4, 3)), "A", "B");
        return List.of(first, slot.read("A"));
    }

    @Test
    @HistoryOf("w_fence_inc")
    void acknowledgedPutIsLostWhenALaterLifeAnswersTheFence() {
        assertThat(readsAfterAFenceThatALaterLifeAnswers(Set.of())).containsExactly(REFUSED, "put 1");
        assertThat(readsAfterAFenceThatALaterLifeAnswers(Set.of("w_fence_inc"))).containsExactly(NOTHING, NOTHING);
    }

    /// B acknowledges the fence of A while its drive stores the put, and loses power before that is done.
    private static List<String> readsAfterAFenceWhileStoring(Set<String> broken) {
        var slot = slot(broken);
        slot.hang("B");
        slot.put("A", 1);
        slot.apply(row(2, 2, inSync("A", 1, 1), inSync("B", 2, 1)), "A", "B");
        var first = slot.read("A");
        slot.cutPower("B");
        slot.start("B", 4);
        slot.apply(row(3, 3, inSync("A", 1, 1), inSync("B", 4, 3)), "A", "B");
        var second = slot.read("A");
        slot.apply(row(4, 4, inSync("B", 4, 3), inSync("A", 1, 1)), "A", "B");
        return List.of(first, second, slot.read("B"));
    }

    @Test
    @HistoryOf("fence_unsynced")
    void objectThatWasReadIsLostWhenAFenceCountsAnIntentThatIsNotDurable() {
        assertThat(readsAfterAFenceWhileStoring(Set.of())).containsExactly(REFUSED, NOTHING, NOTHING);
        assertThat(readsAfterAFenceWhileStoring(Set.of("fence_unsynced"))).containsExactly("put 1", "put 1", NOTHING);
    }

    /// A refuses its own put, for its drive is full. B gets prepare and abort before the row of their epoch, and a copy
    /// of the prepare after it. Then only B is left.
    private static String readAfterAPrepareBeforeItsRow(Set<String> broken) {
        var slot = slot(broken);
        slot.start("C", 3);
        var wider = row(2, 1, inSync("A", 1, 1), inSync("B", 2, 1), learner("C", 3, 2));
        slot.apply(wider, "A", "C");
        slot.fill("A");
        slot.put("A", 1);
        slot.apply(wider, "B");
        slot.tick("A");
        assertThat(slot.outcome(1)).contains(Action.Outcome.FAILED);
        slot.deliverAgain(sentTo("B", Message.Prepare.class));
        slot.stop("A");
        slot.stop("C");
        slot.apply(row(3, 3, inSync("B", 2, 1)), "B");
        return slot.read("B");
    }

    @Test
    @HistoryOf("w_prepare")
    void failedPutTakesEffectWhenAPrepareIsTakenBeforeItsRow() {
        assertThat(readAfterAPrepareBeforeItsRow(Set.of())).isEqualTo(NOTHING);
        assertThat(readAfterAPrepareBeforeItsRow(Set.of("w_prepare"))).isEqualTo("put 1");
    }

    /// The answer of B to the fence of epoch 2 is late. B has taken an acknowledged put of epoch 3 since.
    private static String readAfterALateAnswer(Set<String> broken) {
        var slot = new ScriptedSlot(broken);
        var c = inSync("C", 3, 1);
        var a = inSync("A", 1, 1);
        var b = inSync("B", 2, 1);
        slot.start("A", 1);
        slot.start("B", 2);
        slot.start("C", 3);
        slot.apply(row(1, 1, c, a, b), "A", "B", "C");
        slot.hold(sentBy("B", Message.Fenced.class).and(sentTo("A", Message.Fenced.class)));
        slot.apply(row(2, 2, a, c, b), "A", "B", "C");
        slot.apply(row(3, 3, c, a, b), "A", "B", "C");
        slot.lose(sentBy("C", Message.Fate.class));
        slot.put("C", 1);
        assertThat(slot.outcome(1)).contains(Action.Outcome.COMMITTED);
        slot.stop("C");
        slot.lose(sentTo("B", Message.Fence.class));
        var last = row(4, 4, a, b);
        slot.apply(last, "A", "B");
        slot.release();
        slot.loseNothing();
        slot.tick("A");
        return slot.read("A");
    }

    @Test
    @HistoryOf("stale_answers")
    void acknowledgedPutIsLostWhenAnAnswerOfAnOlderEpochCounts() {
        assertThat(readAfterALateAnswer(Set.of())).isEqualTo("put 1");
        assertThat(readAfterALateAnswer(Set.of("stale_answers"))).isEqualTo(NOTHING);
    }

    /// C learns since epoch 2 and has a put of it. It lacks the next put, which the new primary B commits.
    private static List<String> readsAfterLearningFromANewPrimary(Set<String> broken) {
        var slot = slot(broken);
        slot.start("C", 3);
        slot.apply(row(2, 1, inSync("A", 1, 1), inSync("B", 2, 1), learner("C", 3, 2)), "A", "B", "C");
        slot.put("A", 1);
        slot.lose(sentTo("C", Message.Prepare.class));
        slot.put("A", 2);
        slot.loseNothing();
        slot.stop("A");
        slot.apply(row(3, 3, inSync("B", 2, 1), learner("C", 3, 2)), "B", "C");
        slot.tick("C");
        var first = slot.read("B");
        assertThat(slot.isProposed(new Proposal.Promote(3, "C", 3))).isTrue();
        slot.apply(row(4, 3, inSync("B", 2, 1), inSync("C", 3, 4)), "B", "C");
        slot.apply(row(5, 5, inSync("C", 3, 4), inSync("B", 2, 1)), "B", "C");
        return List.of(first, slot.read("C"));
    }

    @Test
    @HistoryOf("w_since")
    void putThatWasReadIsLostWhenALearnerKeepsItsEpochUnderANewPrimary() {
        assertThat(readsAfterLearningFromANewPrimary(Set.of())).containsExactly("put 2", "put 2");
        assertThat(readsAfterLearningFromANewPrimary(Set.of("w_since"))).containsExactly("put 2", "put 1");
    }

    /// B has prepared the put, loses power and comes back as a learner. Its answer from before lets A acknowledge. Then
    /// A's drive is lost, and an operator accepts what is left.
    private static String readOfAFormerMember(Set<String> broken, List<String> copies) {
        var slot = slot(broken);
        slot.hold(sentBy("B", Message.Prepared.class));
        slot.put("A", 1);
        slot.cutPower("B");
        slot.start("B", 4);
        slot.apply(row(2, 1, inSync("A", 1, 1), learner("B", 4, 2)), "B");
        slot.release();
        assertThat(slot.outcome(1)).contains(Action.Outcome.COMMITTED);
        assertThat(slot.copies(1)).isEqualTo(copies);
        slot.stop("A");
        slot.apply(row(3, 3, inSync("B", 4, 3)), "B");
        return slot.read("B");
    }

    @Test
    @HistoryOf("w_drop")
    void acknowledgedPutIsOnOneDriveOnlyWhenALearnerDropsItsIntentsAtOnce() {
        assertThat(readOfAFormerMember(Set.of(), List.of("A", "B"))).isEqualTo("put 1");
        assertThat(readOfAFormerMember(Set.of("w_drop"), List.of("A"))).isEqualTo(NOTHING);
    }

    /// B has left the slot with the put, and its drive hangs while that is purged. It comes back as a learner, which
    /// finds the put as the source has it.
    private static List<String> readsOfAFormerMemberThatReturns(Set<String> broken) {
        var slot = slot(broken);
        slot.put("A", 1);
        slot.tick("A"); // B is told that it is committed
        slot.apply(row(2, 1, inSync("A", 1, 1)), "A", "B");
        slot.hang("B");
        slot.purge("B");
        slot.apply(row(3, 1, inSync("A", 1, 1), learner("B", 2, 3)), "A", "B");
        slot.tick("B");
        slot.resume("B");
        slot.tick("B");
        assertThat(slot.isProposed(new Proposal.Promote(3, "B", 2))).isTrue();
        slot.apply(row(4, 4, inSync("B", 2, 3)), "A", "B");
        return List.of(slot.read("B"));
    }

    @Test
    @HistoryOf("purge_beside")
    void acknowledgedPutIsLostWhenALearnerDoesNotSeeWhatIsPurged() {
        assertThat(readsOfAFormerMemberThatReturns(Set.of())).containsExactly("put 1");
        assertThat(readsOfAFormerMemberThatReturns(Set.of("purge_beside"))).containsExactly(NOTHING);
    }
}
