package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.name.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Targets that do not hear each other, and what the log does about them. Slot 0 has two replicas on two of three
/// targets; the first is the primary.
@Timeout(60)
class CutTargetsPlanTest {
    private static final int SLOT = 0;
    private static final long BEAT = 7;

    private final SlotTrial trial = new SlotTrial(3, 1, 2, Durability.FSYNC, 1);
    private final NodeId primary = trial.where(member(0));
    private final NodeId other = trial.where(member(1));
    private final NodeId third = trial.targets.stream()
            .filter(target -> !target.equals(primary) && !target.equals(other))
            .findFirst()
            .orElseThrow();
    private final Said said = new Said();

    CutTargetsPlanTest() {
        trial.reachability = said;
        trial.apply(trial.opened(SLOT));
        trial.leased.addAll(trial.targets);
        said.pairs.add(UnreachablePair.of(primary, other));
    }

    /// What beats say.
    private final class Said implements ReachabilityView {
        private final Set<UnreachablePair> pairs = new HashSet<>();
        private final Set<NodeId> heardByFew = new HashSet<>();
        private boolean wasCutOff;

        @Override
        public Set<UnreachablePair> pairs() {
            return pairs;
        }

        @Override
        public boolean isHeardByFew(NodeId target) {
            return heardByFew.contains(target);
        }

        @Override
        public boolean hasJustBeaten(NodeId target, int incarnation, long beat) {
            return beat == BEAT && incarnation == trial.entry(target).incarnation();
        }

        @Override
        public boolean wasCutOff(int group, int slot) {
            return wasCutOff;
        }
    }

    private String member(int at) {
        return trial.row(SLOT).members().get(at).drive();
    }

    private Command.Mute mute(NodeId target, NodeId... muted) {
        return new Command.Mute(target, trial.entry(target).version(), new TreeSet<>(List.of(muted)));
    }

    private Command.Unmute unmute(NodeId target) {
        return new Command.Unmute(target, trial.entry(target).version());
    }

    private Command.CutOff cutOff(long beat) {
        var asking = trial.named(SLOT, trial.row(SLOT).primary());
        return new Command.CutOff(primary, trial.entry(primary).incarnation(), beat, primary, other, List.of(asking));
    }

    private boolean isMember(NodeId target) {
        return trial.row(SLOT).members().stream()
                .anyMatch(each -> trial.where(each.drive()).equals(target));
    }

    @Test
    void muteNamesWhoWasMuted() {
        assertThat(trial.apply(mute(other))).as("it is heard").isFalse();
        said.heardByFew.addAll(trial.targets);
        assertThat(trial.apply(mute(other, third))).as("nobody is").isFalse();
        assertThat(trial.apply(mute(other))).isTrue();
        assertThat(trial.apply(mute(other, other))).as("twice").isFalse();
        assertThat(trial.apply(mute(third))).as("judged before").isFalse();
        assertThat(trial.state.replication().muted()).containsExactly(other);
        assertThat(trial.entry(other).up()).as("its promises lapse first").isTrue();
    }

    @Test
    void mutedTargetIsUpOnlyWhenItIsHeard() {
        said.heardByFew.add(other);
        trial.apply(mute(other));
        assertThat(trial.apply(trial.down(other))).isTrue();
        assertThat(trial.apply(trial.up(other))).isFalse();
        assertThat(trial.apply(trial.register(other, "boot", Set.of(), Set.of())))
                .isTrue();
        assertThat(trial.entry(other).up()).as("another process of it").isFalse();
        assertThat(trial.entry(other).muted()).isTrue();
        long version = trial.entry(other).version();
        assertThat(trial.apply(unmute(other))).isTrue();
        assertThat(trial.entry(other).version()).as("promising begins again").isGreaterThan(version);
        assertThat(trial.apply(trial.up(other))).isTrue();
    }

    @Test
    void memberThatThePrimaryDoesNotHearLeavesForAnother() {
        assertThat(trial.apply(cutOff(BEAT))).isTrue();
        assertThat(isMember(other)).isFalse();
        assertThat(isMember(third)).as("as a learner").isTrue();
        assertThat(trial.goal(SLOT)).noneMatch(drive -> trial.where(drive).equals(other));
        assertThat(trial.row(SLOT).opened()).as("the primary goes on").isTrue();
    }

    @Test
    void requestThatIsNotSoAnyMoreHasNoEffect() {
        assertThat(trial.apply(cutOff(BEAT - 1))).as("an old beat").isFalse();
        trial.leased.remove(primary);
        assertThat(trial.apply(cutOff(BEAT))).as("no lease").isFalse();
        trial.leased.add(primary);
        said.heardByFew.add(primary);
        assertThat(trial.apply(cutOff(BEAT)))
                .as("it is the one that is cut off")
                .isFalse();
        said.heardByFew.clear();
        said.wasCutOff = true;
        assertThat(trial.apply(cutOff(BEAT))).as("one has just left").isFalse();
        said.wasCutOff = false;
        said.pairs.clear();
        assertThat(trial.apply(cutOff(BEAT))).as("they hear each other").isFalse();
        said.pairs.add(UnreachablePair.of(primary, other));
        said.heardByFew.add(primary);
        trial.apply(mute(primary));
        said.heardByFew.clear();
        assertThat(trial.apply(cutOff(BEAT))).as("muted").isFalse();
    }

    @Test
    void onlyThePrimaryAsks() {
        var asking = trial.named(SLOT, trial.row(SLOT).members().get(1));
        var command =
                new Command.CutOff(other, trial.entry(other).incarnation(), BEAT, other, primary, List.of(asking));
        assertThat(trial.apply(command)).isFalse();
        var forOther =
                new Command.CutOff(primary, trial.entry(primary).incarnation(), BEAT, primary, other, List.of(asking));
        assertThat(trial.apply(forOther)).as("with another's drive").isFalse();
    }

    @Test
    void whoHasAppliedTheNewestStateNeedNotBeAsked() {
        said.pairs.clear();
        trial.apply(trial.register(other, "boot", Set.of(), Set.of()));
        assertThat(trial.row(SLOT).inSync()).hasSize(2);
        assertThat(trial.row(SLOT).fence()).containsExactly(member(0));
        int incarnation = trial.entry(primary).incarnation();
        assertThat(trial.apply(new Command.Fenced(primary, incarnation, trial.state.version() - 1)))
                .isFalse();
        assertThat(trial.apply(new Command.Fenced(primary, incarnation + 1, trial.state.version())))
                .isFalse();
        assertThat(trial.apply(new Command.Fenced(primary, incarnation, trial.state.version())))
                .isTrue();
        assertThat(trial.row(SLOT).fence()).isEmpty();
        assertThat(trial.row(SLOT).opened()).as("its primary says so").isFalse();
    }
}
