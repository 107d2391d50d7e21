package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Histories in which a simpler rule lost acknowledged writes or served from two places, as far as the planner decides
/// them. Slot 0 of two replicas on A and B, A the primary; C has none.
class PlannerHistoriesTest {
    private static final int SLOT = 0;

    private SlotTrial trial = trial(Durability.FSYNC);
    private final NodeId a = trial.where(trial.row(SLOT).members().get(0).drive());
    private final NodeId b = trial.where(trial.row(SLOT).members().get(1).drive());
    private final NodeId c = trial.targets.stream()
            .filter(target -> !target.equals(a) && !target.equals(b))
            .findFirst()
            .orElseThrow();

    private static SlotTrial trial(Durability durability) {
        var made = new SlotTrial(3, 1, 2, durability, 1);
        made.apply(made.opened(SLOT));
        return made;
    }

    /// A's process still serves an epoch that is two behind the newest, none of which was opened.
    @Test
    void fenceListGrowsOverEpochsThatWereNotOpened() {
        restart(b, Set.of());
        assertThat(trial.row(SLOT).fence()).containsExactlyInAnyOrder(drive(a));
        restart(b, Set.of());
        trial.apply(trial.down(b));
        assertThat(trial.row(SLOT).fence()).as("b is known to serve no more").containsExactly(drive(a));
        expel(a);
        assertThat(trial.row(SLOT).inSync()).hasSize(1);
        assertThat(trial.row(SLOT).fence()).as("nobody but a is to be asked").isEmpty();
        assertThat(trial.row(SLOT).opened()).isTrue();
    }

    @Test
    void soundMemberStaysInSyncWhenItReturnsWhileTheOtherIsLeased() {
        trial.leased.add(b);
        restart(a, Set.of());
        var row = trial.row(SLOT);
        assertThat(row.inSync())
                .extracting(Member::drive)
                .as("behind the leased one")
                .containsExactly(drive(b), drive(a));
        assertThat(row.primarySince()).isEqualTo(row.epoch());
        assertThat(row.opened()).isFalse();
    }

    @Test
    void primaryThatStaysFencesAgainWhenASoundMemberReturns() {
        trial.leased.add(a);
        restart(b, Set.of());
        var row = trial.row(SLOT);
        assertThat(row.inSync()).extracting(Member::drive).containsExactly(drive(a), drive(b));
        assertThat(row.primarySince()).isEqualTo(row.epoch());
        assertThat(row.fence()).contains(drive(a));
    }

    @Test
    void memberWithoutItsIndexBecomesALearnerAlsoWhenNobodyIsLeased() {
        restart(b, Set.of(drive(b)));
        assertThat(trial.row(SLOT).inSync()).extracting(Member::drive).containsExactly(drive(a));
        assertThat(trial.row(SLOT).member(drive(b)).orElseThrow().inSync()).isFalse();
    }

    @Test
    void powerCutMakesALearnerOnlyInAGroupThatLosesWritesWithThePower() {
        for (var durability : Durability.values()) {
            trial = trial(durability);
            trial.apply(trial.register(b, "another boot", Set.of(), Set.of()));
            assertThat(trial.row(SLOT).member(drive(b)).orElseThrow().inSync())
                    .isEqualTo(durability == Durability.FSYNC);
        }
    }

    @Test
    void lastInSyncMemberStaysAlsoWithoutItsIndex() {
        trial.apply(trial.down(b));
        expel(a);
        restart(a, Set.of(drive(a)));
        assertThat(trial.row(SLOT).inSync()).extracting(Member::drive).containsExactly(drive(a));
    }

    @Test
    void whatThePrimaryAloneHasCountsUntilAnotherOneWasPrimaryOrItsIndexIsMadeAnew() {
        trial.leased.add(a);
        restart(b, Set.of());
        assertThat(trial.row(SLOT).driveSince()).as("a follower returned").isEqualTo(1);
        trial.apply(trial.down(b));
        expel(a);
        trial.leased.clear();
        restart(a, Set.of());
        assertThat(trial.row(SLOT).driveSince()).as("it was alone meanwhile").isEqualTo(1);
        restart(a, Set.of(drive(a)));
        var again = trial.row(SLOT);
        assertThat(again.primary().drive()).isEqualTo(drive(a));
        assertThat(again.driveSince()).as("its index was made anew").isGreaterThan(1);
    }

    @Test
    void lateRegistrationOfADeadProcessIsRefused() {
        var dead = trial.register(a, "boot", Set.of(), Set.of());
        restart(a, Set.of());
        int living = trial.entry(a).incarnation();
        assertThat(trial.apply(dead)).isFalse();
        assertThat(trial.entry(a).incarnation()).isEqualTo(living);
        assertThat(trial.state.replication().incarnation(a, dead.nonce())).isEmpty();
    }

    @Test
    void repeatedRegistrationGetsTheSameIncarnation() {
        var registration = trial.register(a, "boot", Set.of(), Set.of());
        assertThat(trial.apply(registration)).isTrue();
        assertThat(trial.apply(registration)).isFalse();
        assertThat(trial.apply(new Command.Register(
                        a, registration.nonce(), trial.entry(a).incarnation(), "boot", registration.drives())))
                .as("also when it has read meanwhile")
                .isFalse();
        assertThat(trial.state.replication().incarnation(a, registration.nonce()))
                .contains(trial.entry(a).incarnation());
    }

    @Test
    void downOfATargetThatReturnedMeanwhileHasNoEffect() {
        var down = trial.down(a);
        trial.apply(new Command.Trust(a, trial.entry(a).version()));
        assertThat(trial.apply(down)).isFalse();
        var again = trial.down(a);
        restart(a, Set.of());
        assertThat(trial.apply(again)).isFalse();
        assertThat(trial.entry(a).up()).isTrue();
    }

    @Test
    void downByAControllerThatRestartedSinceHasNoEffect() {
        var controller = trial.targets.getFirst();
        trial.apply(new Command.ControllerBoot(controller, 1));
        var boots = new TreeMap<>(Map.of(controller, 1));
        var down = new Command.Down(a, trial.entry(a).version(), boots);
        trial.apply(new Command.ControllerBoot(controller, 2));
        assertThat(trial.apply(down)).isFalse();
    }

    /// Only the living know whether the one that is down has something that they have not.
    @Test
    void downRemovesNoInSyncMember() {
        trial.apply(trial.down(b));
        var row = trial.row(SLOT);
        assertThat(row.inSync()).extracting(Member::drive).containsExactly(drive(a), drive(b));
        assertThat(row.member(drive(c))).isEmpty();
        assertThat(trial.apply(new Command.Expel(List.of(trial.named(SLOT, member(b))))))
                .as("it does not live")
                .isFalse();
        expel(a);
        assertThat(trial.row(SLOT).inSync()).extracting(Member::drive).containsExactly(drive(a));
        assertThat(member(c).inSync()).as("it stands in").isFalse();
        assertThat(trial.row(SLOT).opened()).as("the primary goes on").isTrue();
    }

    @Test
    void promotionRemovesNobody() {
        trial.apply(trial.down(b));
        expel(a);
        trial.apply(trial.up(b));
        trial.apply(new Command.Promote(trial.row(SLOT).members().stream()
                .filter(member -> !member.inSync())
                .map(member -> trial.named(SLOT, member))
                .toList()));
        assertThat(drives(trial.row(SLOT).inSync())).contains(drive(a)).hasSize(2);
    }

    @Test
    void surplusMemberRemovesNeitherItselfNorOneOfTheGoal() {
        trial.apply(trial.down(b));
        expel(a);
        trial.apply(new Command.Promote(List.of(trial.named(SLOT, member(c)))));
        trial.apply(trial.up(b));
        trial.apply(new Command.Promote(List.of(trial.named(SLOT, member(b)))));
        assertThat(trial.row(SLOT).inSync()).hasSize(3);
        assertThat(trial.goal(SLOT)).containsExactlyInAnyOrder(drive(a), drive(b));
        assertThat(trial.apply(new Command.Expel(List.of(trial.named(SLOT, member(c))))))
                .isFalse();
        expel(b);
        assertThat(drives(trial.row(SLOT).members())).containsExactly(drive(a), drive(b));
    }

    @Test
    void learnerThatRefusedIsNotChosenAgainWhileItIsAvoided() {
        trial.apply(trial.down(b));
        expel(a);
        trial.avoided.add(drive(c));
        assertThat(trial.apply(new Command.TakeOff(List.of(trial.named(SLOT, member(c))))))
                .isTrue();
        assertThat(trial.apply(new Command.Fill())).isFalse();
        trial.avoided.clear();
        trial.apply(new Command.Fill());
        assertThat(trial.row(SLOT).member(drive(c))).isPresent();
    }

    @Test
    void bucketWithMoreReplicasThanTargetsIsRefusedWithBothNumbers() {
        assertThatThrownBy(() -> Planner.next(trial.state, create(4)))
                .isInstanceOf(StoreException.InvalidArgument.class)
                .hasMessageContaining("4 replicas")
                .hasMessageContaining("has 3");
        assertThat(Planner.next(trial.state, create(3))
                        .buckets()
                        .find("b")
                        .orElseThrow()
                        .group())
                .isEqualTo(2);
        assertThat(Planner.next(trial.state, create(2))
                        .buckets()
                        .find("b")
                        .orElseThrow()
                        .group())
                .isEqualTo(SlotTrial.GROUP);
        assertThat(Planner.next(trial.state, create(1))
                        .buckets()
                        .find("b")
                        .orElseThrow()
                        .group())
                .isZero();
    }

    @Test
    void replicasOfABucketThatExistsCannotBeChanged() {
        var state = Planner.next(trial.state, create(2));
        var bucket = state.buckets().find("b").orElseThrow();
        var command = new Command.SetBucketProperties("b", bucket.id(), bucket.properties(), properties(3));
        assertThat(Planner.next(state, command)).isSameAs(state);
    }

    private static Command create(int replicas) {
        return new Command.CreateBucket("b", 1, properties(replicas));
    }

    private static BucketProperties properties(int replicas) {
        return new BucketProperties(
                Optional.empty(), Durability.FSYNC, Optional.empty(), 1, replicas, Optional.empty());
    }

    private void restart(NodeId target, Set<String> unsound) {
        assertThat(trial.apply(trial.register(target, "boot", unsound, Set.of())))
                .isTrue();
    }

    private void expel(NodeId asking) {
        assertThat(trial.apply(new Command.Expel(List.of(trial.named(SLOT, member(asking))))))
                .isTrue();
    }

    private Member member(NodeId target) {
        return trial.row(SLOT).member(drive(target)).orElseThrow();
    }

    private String drive(NodeId target) {
        return trial.drives(target).getFirst();
    }

    private static List<String> drives(List<Member> members) {
        return members.stream().map(Member::drive).toList();
    }
}
