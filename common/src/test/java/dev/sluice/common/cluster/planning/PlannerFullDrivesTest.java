package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.name.NodeId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What the planner does with drives that have no room. Slot 0 of two replicas on A and B, A the primary; when B's
/// drive is offline placement wants C, and D when C's is offline too.
class PlannerFullDrivesTest {
    private static final int SLOT = 0;

    private final SlotTrial trial = new SlotTrial(4, 1, 2, Durability.FSYNC, 1);
    private final String a = trial.row(SLOT).members().getFirst().drive();
    private final String b = trial.row(SLOT).members().getLast().drive();
    private final String c = wantedWithout(Set.of(a, b));
    private final String d = wantedWithout(Set.of(a, b, c));

    private String wantedWithout(Set<String> others) {
        trial.avoided.addAll(others);
        var wanted = trial.goal(SLOT).getFirst();
        trial.avoided.clear();
        return wanted;
    }

    private void loseB() {
        trial.apply(trial.out(b));
        trial.apply(new Command.Expel(List.of(named(a))));
    }

    private Command.SlotDrive named(String drive) {
        return trial.named(SLOT, trial.row(SLOT).member(drive).orElseThrow());
    }

    private List<String> members() {
        return trial.row(SLOT).members().stream().map(Member::drive).toList();
    }

    @Test
    void fullDriveGetsNoLearnerAndTheNextOneDoes() {
        trial.full.add(c);
        loseB();
        assertThat(members()).containsExactly(a, d);
        trial.apply(new Command.Promote(List.of(named(d))));
        assertThat(trial.apply(new Command.Fill()))
                .as("it stays so while %s is full", c)
                .isFalse();
    }

    @Test
    void fullDriveKeepsItsInSyncRole() {
        trial.full.addAll(Set.of(a, b));
        assertThat(trial.apply(new Command.Fill())).isFalse();
        assertThat(trial.apply(new Command.Expel(List.of(named(a))))).isFalse();
        assertThat(trial.row(SLOT).inSync()).hasSize(2);
    }

    @Test
    void learnerStaysOnADriveThatBecameFull() {
        loseB();
        assertThat(members()).containsExactly(a, c);
        trial.full.add(c);
        assertThat(trial.apply(new Command.Fill())).isFalse();
        trial.apply(new Command.Promote(List.of(named(c))));
        assertThat(trial.row(SLOT).inSync()).extracting(Member::drive).containsExactly(a, c);
    }

    @Test
    void learnerOfARebuiltIndexStaysOnAFullDrive() {
        trial.full.add(b);
        NodeId target = trial.where(b);
        trial.apply(trial.register(target, "boot", Set.of(b), Set.of()));
        assertThat(trial.row(SLOT).member(b).orElseThrow().inSync()).isFalse();
        assertThat(trial.apply(new Command.Fill())).isFalse();
    }

    @Test
    void driveWithRoomAgainGetsALearner() {
        trial.full.addAll(Set.of(c, d));
        loseB();
        assertThat(members()).as("no drive has room").containsExactly(a);
        trial.full.clear();
        trial.apply(new Command.Fill());
        assertThat(members()).containsExactly(a, c);
    }
}
