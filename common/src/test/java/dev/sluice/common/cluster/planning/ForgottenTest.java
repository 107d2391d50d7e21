package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Command.RegisteredDrive;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What is forgotten takes no part ever again, and its slots go to others. Slot 0 of two replicas on A and B, A the
/// primary; C has none.
class ForgottenTest {
    private static final int SLOT = 0;

    private final SlotTrial trial = new SlotTrial(3, 1, 2, Durability.FSYNC, 1);
    private final NodeId a = trial.where(trial.row(SLOT).members().get(0).drive());
    private final NodeId b = trial.where(trial.row(SLOT).members().get(1).drive());
    private final NodeId c = trial.targets.stream()
            .filter(target -> !target.equals(a) && !target.equals(b))
            .findFirst()
            .orElseThrow();

    private String drive(NodeId target) {
        return trial.drives(target).getFirst();
    }

    private boolean forget(NodeId target) {
        return trial.apply(new Command.Forget(target, Optional.empty()));
    }

    private void giveAway(SlotDrive... heirs) {
        trial.apply(new Command.GiveAway(List.of(heirs)));
    }

    private SlotDrive heir(String drive) {
        return new SlotDrive(SlotTrial.GROUP, SLOT, trial.row(SLOT).epoch(), drive, trial.incarnation(drive));
    }

    private List<String> members() {
        return trial.row(SLOT).members().stream().map(Member::drive).toList();
    }

    @Test
    void onlyATargetThatIsDownAndADriveThatIsOutAreForgotten() {
        assertThat(forget(b)).isFalse();
        assertThat(trial.apply(new Command.Forget(b, Optional.of(drive(b))))).isFalse();
        trial.apply(trial.out(drive(b)));
        assertThat(trial.apply(new Command.Forget(a, Optional.of(drive(b)))))
                .as("of another target")
                .isFalse();
        assertThat(trial.apply(new Command.Forget(b, Optional.of(drive(b))))).isTrue();
        assertThat(trial.state.replication().forgotten()).containsExactly(drive(b));
        trial.apply(trial.down(c));
        assertThat(forget(c)).isTrue();
        assertThat(forget(c)).as("again").isFalse();
    }

    /// A bucket's removal waits for the drives that may have files of it.
    @Test
    void aRegistrationWithoutEffectIsWaitedForByNoRemoval() {
        var none = new Command.CreateBucket("b", 0, BucketProperties.defaults(Optional.empty()));
        trial.state = Planner.next(trial.state, none);
        trial.state = Planner.next(trial.state, new Command.MarkDeleting("b"));
        var marked = trial.state.buckets().find("b").orElseThrow();
        trial.state = Planner.next(trial.state, new Command.RemoveBucket("b", marked.id(), marked.deletion()));
        var known = Set.of(drive(a), drive(b), drive(c));
        assertThat(trial.state.buckets().behind()).containsOnlyKeys(known);
        var other = List.of(new RegisteredDrive("other", 1, true, false, 0));
        trial.state = Planner.next(trial.state, new Command.Register(a, "late", 0, "boot", other));
        assertThat(trial.state.buckets().behind()).containsOnlyKeys(known);
        int next = trial.entry(a).incarnation();
        trial.state = Planner.next(trial.state, new Command.Register(a, "now", next, "boot", other));
        assertThat(trial.state.buckets().behind()).containsKey("other");
    }

    @Test
    void aMemberIsReplacedAndItsRecordGoesWhenNoRowNamesIt() {
        trial.apply(trial.opened(SLOT));
        trial.apply(trial.down(b));
        forget(b);
        assertThat(members()).as("an entry of its own").contains(drive(b));
        giveAway();
        var row = trial.row(SLOT);
        assertThat(members()).containsExactlyInAnyOrder(drive(a), drive(c));
        assertThat(row.primarySince()).isEqualTo(trial.row(SLOT).primarySince());
        assertThat(row.fence()).doesNotContain(drive(b));
        assertThat(trial.state.replication().drives().find(drive(b))).isEmpty();
        assertThat(trial.state.replication().forgotten()).containsExactly(drive(b));
    }

    @Test
    void theFenceListForgetsItToo() {
        trial.apply(trial.down(a));
        trial.apply(new Command.Expel(
                List.of(trial.named(SLOT, trial.row(SLOT).member(drive(b)).orElseThrow()))));
        trial.apply(trial.up(a));
        trial.converge();
        var leaving = trial.row(SLOT).primary().drive();
        trial.apply(trial.register(trial.where(leaving), "boot", Set.of(), Set.of()));
        trial.apply(trial.down(trial.where(leaving)));
        forget(trial.where(leaving));
        giveAway();
        assertThat(trial.row(SLOT).fence()).doesNotContain(leaving);
        assertThat(members()).doesNotContain(leaving);
        assertThat(trial.row(SLOT).primarySince()).isPositive();
    }

    @Test
    void theLastInSyncMemberGoesOnlyToAnHeir() {
        trial.apply(trial.opened(SLOT));
        trial.apply(trial.down(a));
        trial.apply(trial.down(b));
        forget(a);
        forget(b);
        var before = trial.row(SLOT);
        giveAway();
        assertThat(trial.row(SLOT)).as("without an heir").isEqualTo(before);
        giveAway(heir(drive(b)));
        assertThat(trial.row(SLOT)).as("a forgotten heir").isEqualTo(before);
        var late = new SlotDrive(SlotTrial.GROUP, SLOT, before.epoch() - 1, drive(c), trial.incarnation(drive(c)));
        giveAway(late);
        assertThat(trial.row(SLOT)).as("of an earlier epoch").isEqualTo(before);
        giveAway(heir(drive(c)));
        var after = trial.row(SLOT);
        assertThat(after.inSync()).extracting(Member::drive).containsExactly(drive(c));
        assertThat(after.epoch()).isGreaterThan(before.epoch());
        assertThat(after.primarySince()).isEqualTo(after.epoch());
        assertThat(after.driveSince()).isEqualTo(after.epoch());
        assertThat(trial.state.replication().drives().entries().keySet()).containsExactly(drive(c));
    }

    @Test
    void aMemberThatIsOnlyDownKeepsTheSlot() {
        trial.apply(trial.down(a));
        trial.apply(trial.down(b));
        forget(b);
        giveAway(heir(drive(c)));
        assertThat(trial.row(SLOT).inSync()).extracting(Member::drive).containsExactly(drive(a));
    }

    /// Between the two entries nobody else is left.
    @Test
    void aMemberBesideAForgottenOneStaysWhateverItMayLack() {
        trial.apply(trial.down(a));
        forget(a);
        trial.apply(trial.register(b, "another boot", Set.of(drive(b)), Set.of()));
        assertThat(trial.row(SLOT).member(drive(b)).orElseThrow().inSync()).isTrue();
        giveAway();
        assertThat(trial.row(SLOT).inSync()).extracting(Member::drive).containsExactly(drive(b));
    }

    @Test
    void whatAForgottenPrimarySaysOfItsSlotIsVoid() {
        trial.apply(trial.down(b));
        trial.apply(new Command.Expel(
                List.of(trial.named(SLOT, trial.row(SLOT).member(drive(a)).orElseThrow()))));
        var learner = trial.row(SLOT).members().getLast();
        assertThat(learner.drive()).isEqualTo(drive(c));
        trial.apply(trial.down(a));
        forget(a);
        assertThat(trial.apply(new Command.Promote(List.of(trial.named(SLOT, learner)))))
                .isFalse();
        assertThat(trial.apply(new Command.TakeOff(List.of(trial.named(SLOT, learner)))))
                .isFalse();
        assertThat(trial.apply(trial.opened(SLOT))).isFalse();
    }

    @Test
    void whatIsForgottenNeverComesBackButItsTargetMayWithOtherDrives() {
        trial.apply(trial.down(b));
        var dead = trial.register(b, "boot", Set.of(), Set.of());
        int before = trial.entry(b).incarnation();
        forget(b);
        giveAway();
        assertThat(trial.apply(dead)).as("a late registration").isFalse();
        assertThat(trial.apply(new Command.Up(b, before))).as("a late beat").isFalse();
        trial.apply(trial.register(b, "boot", Set.of(), Set.of()));
        assertThat(trial.state.replication().drives().find(drive(b))).isEmpty();
        var back = new Command.DriveIn(
                b, trial.entry(b).incarnation(), new RegisteredDrive(drive(b), 1, true), 0, "nonce");
        assertThatThrownBy(() -> trial.apply(back))
                .isInstanceOf(StoreException.InvalidArgument.class)
                .hasMessageContaining("was forgotten");
        var blank = new Command.DriveIn(
                b, trial.entry(b).incarnation(), new RegisteredDrive("blank", 1, true), 0, "another");
        assertThat(trial.apply(blank)).isTrue();
        trial.converge();
        assertThat(trial.state.replication().usable("blank")).isTrue();
        assertThat(members()).doesNotContain(drive(b));
    }
}
