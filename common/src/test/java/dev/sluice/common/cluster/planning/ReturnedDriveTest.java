package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.store.StoreException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Drives that leave and return while their target's process runs. Slot 0 has two replicas, on drives a and b of two
/// targets; a is the primary.
@Timeout(60)
class ReturnedDriveTest {
    private static final int SLOT = 0;

    private SlotTrial trial = trial(Durability.FSYNC);
    private String a = member(0);
    private String b = member(1);

    private static SlotTrial trial(Durability durability) {
        var made = new SlotTrial(3, 1, 2, durability, 1);
        made.apply(made.opened(SLOT));
        return made;
    }

    private String member(int at) {
        return trial.row(SLOT).members().get(at).drive();
    }

    private void use(SlotTrial other) {
        trial = other;
        a = member(0);
        b = member(1);
    }

    private void out(String drive) {
        assertThat(trial.apply(trial.out(drive))).isTrue();
    }

    private void in(String drive, boolean sound) {
        assertThat(trial.apply(trial.in(drive, sound))).isTrue();
    }

    private void expel(String asking) {
        var member = trial.row(SLOT).member(asking).orElseThrow();
        assertThat(trial.apply(new Command.Expel(List.of(trial.named(SLOT, member)))))
                .isTrue();
    }

    private List<String> inSync() {
        return trial.row(SLOT).inSync().stream().map(Member::drive).toList();
    }

    private boolean isLearner(String drive) {
        return trial.row(SLOT).member(drive).filter(member -> !member.inSync()).isPresent();
    }

    /// Acknowledgements of the core of before name another incarnation, so they do not count.
    @Test
    void soundDriveStaysInSyncWithItsOwnIncarnationBehindALeasedMember() {
        int before = trial.incarnation(a);
        out(a);
        long epoch = trial.row(SLOT).epoch();
        trial.leased.add(trial.where(b));
        in(a, true);
        var row = trial.row(SLOT);
        assertThat(inSync()).containsExactly(b, a);
        assertThat(trial.incarnation(a)).isGreaterThan(before);
        assertThat(row.member(a).orElseThrow().incarnation()).isEqualTo(trial.incarnation(a));
        assertThat(row.member(b).orElseThrow().incarnation()).isEqualTo(trial.incarnation(b));
        assertThat(row.primarySince()).isEqualTo(row.epoch()).isGreaterThan(epoch);
        assertThat(row.opened()).isFalse();
        assertThat(row.fence()).as("the former core has ended").containsExactly(b);
    }

    @Test
    void primaryThatReturnsFirstFencesAgain() {
        out(a);
        in(a, true);
        var row = trial.row(SLOT);
        assertThat(row.primary().drive()).isEqualTo(a);
        assertThat(row.primarySince()).isEqualTo(row.epoch());
        assertThat(row.opened()).isFalse();
    }

    @Test
    void driveWithoutItsIndexBecomesALearner() {
        out(a);
        in(a, false);
        assertThat(inSync()).containsExactly(b);
        assertThat(isLearner(a)).isTrue();
    }

    @Test
    void lastInSyncDriveStaysAlsoWithoutItsIndex() {
        out(b);
        expel(a);
        out(a);
        long before = trial.row(SLOT).epoch();
        in(a, false);
        assertThat(inSync()).containsExactly(a);
        assertThat(trial.row(SLOT).primarySince()).isGreaterThan(before);
    }

    /// Writes that were not synced may be lost, as after a loss of power.
    @Test
    void soundDriveBecomesALearnerInAGroupThatDoesNotSync() {
        use(trial(Durability.OS));
        out(a);
        in(a, true);
        assertThat(inSync()).containsExactly(b);
        assertThat(isLearner(a)).isTrue();
    }

    /// The process died before the log knew that the drive had failed, and the machine did not reboot.
    @Test
    void driveThatMayLackUnsyncedWritesBecomesALearnerInAGroupThatDoesNotSync() {
        for (var durability : Durability.values()) {
            for (boolean mayLack : new boolean[] {false, true}) {
                use(trial(durability));
                var again = trial.register(trial.where(a), "boot", Set.of(), Set.of());
                var drives = again.drives().stream()
                        .map(drive -> new Command.RegisteredDrive(drive.id(), 1, true, mayLack, 0))
                        .toList();
                assertThat(trial.apply(new Command.Register(
                                again.target(), again.nonce(), again.ifIncarnation(), "boot", drives)))
                        .isTrue();
                boolean learns = mayLack && durability == Durability.OS;
                assertThat(isLearner(a))
                        .as("%s, may lack %s", durability, mayLack)
                        .isEqualTo(learns);
                assertThat(inSync()).contains(b);
            }
        }
    }

    @Test
    void expelledDriveLearnsAndThePrimaryGoesOn() {
        out(a);
        expel(b);
        assertThat(trial.row(SLOT).member(a)).isEmpty();
        long primarySince = trial.row(SLOT).primarySince();
        in(a, true);
        assertThat(isLearner(a)).isTrue();
        assertThat(trial.row(SLOT).primarySince()).isEqualTo(primarySince);
    }

    /// Otherwise another drive could lead the slot while this one still serves it.
    @Test
    void lateReportHasNoEffectOnADriveThatIsBack() {
        var report = trial.out(a);
        assertThat(trial.apply(report)).isTrue();
        in(a, true);
        assertThat(trial.apply(report)).isFalse();
        assertThat(trial.state.replication().usable(a)).isTrue();
    }

    @Test
    void returnIsAppliedOnceAndOnlyToADriveThatIsOut() {
        assertThat(trial.apply(trial.in(a, false))).isFalse();
        out(a);
        var in = trial.in(a, true);
        assertThat(trial.apply(in)).isTrue();
        assertThat(trial.apply(in)).isFalse();
    }

    @Test
    void returnReportedByAnEndedProcessHasNoEffect() {
        out(a);
        var in = trial.in(a, true);
        trial.apply(trial.register(trial.where(a), "boot", Set.of(), Set.of(a)));
        assertThat(trial.apply(in)).isFalse();
    }

    /// It is named in no registration, so the incarnation of its role does not become one that no core has.
    @Test
    void driveMissingFromARegistrationKeepsItsRole() {
        var before = trial.row(SLOT).member(a).orElseThrow();
        trial.apply(trial.register(trial.where(a), "boot", Set.of(), Set.of(a)));
        assertThat(trial.row(SLOT).member(a)).contains(before);
        assertThat(trial.state.replication().usable(a)).isFalse();
        in(a, true);
        assertThat(inSync()).containsExactly(a, b);
    }

    @Test
    void newDriveGetsSlots() {
        use(new SlotTrial(2, 1, 2, Durability.FSYNC, 64));
        var target = trial.where(a);
        var itself = new Command.RegisteredDrive("new", 1, false);
        var in = new Command.DriveIn(target, trial.entry(target).incarnation(), itself, 0, "nonce");
        assertThat(trial.apply(in)).isTrue();
        assertThat(trial.apply(in)).isFalse();
        assertThat(trial.state.replication().usable("new")).isTrue();
        var other = trial.where(b);
        var taken = new Command.DriveIn(other, trial.entry(other).incarnation(), itself, trial.incarnation("new"), "n");
        trial.apply(trial.out("new"));
        assertThatThrownBy(() -> trial.apply(taken))
                .isInstanceOf(StoreException.InvalidArgument.class)
                .hasMessageContaining("is a drive of " + target);
    }
}
