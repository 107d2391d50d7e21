package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Slots whose members have slices: nobody leaves if fewer different positions than data positions stay at members that
/// were just heard.
@Timeout(60)
class CodedPlansTest {
    private static final int STEPS = 150;
    private static final int SLOTS = 16;

    private Random random = new Random(0);
    private int data = 2;
    private int replicas = 3;
    private SlotTrial trial = new SlotTrial(4, 1, 3, 2, Durability.FSYNC, SLOTS);

    private Member at(int slot, int position) {
        return trial.row(slot).members().stream()
                .filter(member -> member.position() == position)
                .findFirst()
                .orElseThrow();
    }

    private static Set<Integer> positions(SlotRow row, Predicate<Member> which) {
        var positions = new HashSet<Integer>();
        row.members().stream().filter(which).forEach(member -> positions.add(member.position()));
        return positions;
    }

    private void down(Member member) {
        trial.apply(trial.down(trial.where(member.drive())));
    }

    private void back(Member member) {
        var target = trial.where(member.drive());
        trial.apply(trial.register(target, trial.entry(target).bootId(), Set.of(), Set.of()));
    }

    /// A member asks; these others have answered it.
    private boolean expel(Member asking, Member... answered) {
        var target = trial.where(asking.drive());
        var drives = new TreeMap<>(Map.of(asking.drive(), asking.incarnation()));
        for (var each : answered) {
            drives.put(each.drive(), each.incarnation());
        }
        var answers = new Command.Answers(target, trial.entry(target).incarnation(), SlotTrial.BEAT, target, drives);
        return trial.apply(new Command.Expel(List.of(trial.named(0, asking)), Optional.of(answers)));
    }

    // ---- new rows

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,1", "3,2", "4,2"})
    void aNewRowHasEachPositionOnce(int ofData, int parity) {
        trial = new SlotTrial(ofData + parity + 1, 2, ofData + parity, ofData, Durability.FSYNC, SLOTS);
        for (int slot = 0; slot < SLOTS; slot++) {
            var row = trial.row(slot);
            assertThat(row.positions()).isEqualTo(ofData + parity);
            var order = row.members().stream().map(Member::position).toList();
            var expected = new ArrayList<>(List.of(0));
            for (int j = 0; j < parity; j++) {
                expected.add(ofData + j);
            }
            for (int i = 1; i < ofData; i++) {
                expected.add(i);
            }
            assertThat(order).isEqualTo(expected);
            assertThat(trial.goal(slot).indexOf(at(slot, 1).drive())).isEqualTo(1);
        }
    }

    @Test
    void aGroupNeedsAsManyTargetsAsPositionsAndItsFloorUp() {
        var state = trial.state;
        assertThatThrownBy(() -> NewGroup.in(state, 5, 3, Durability.FSYNC, SLOTS))
                .isInstanceOf(StoreException.InvalidArgument.class)
                .hasMessageContaining("3 data and 2 parity slices needs 5 targets; the cluster has 4");
        assertThatThrownBy(() -> NewGroup.in(state, 3, 2, Durability.OS, SLOTS))
                .isInstanceOf(IllegalArgumentException.class);
        var four = NewGroup.in(state, 4, 2, Durability.FSYNC, SLOTS);
        assertThat(four.table(2).orElseThrow().row(0).positions()).isEqualTo(4);
        trial.apply(trial.down(trial.targets.getFirst()));
        var three = NewGroup.in(trial.state, 4, 2, Durability.FSYNC, SLOTS);
        assertThat(positions(three.table(2).orElseThrow().row(0), _ -> true)).containsExactly(0, 1, 2);
        trial.apply(trial.down(trial.targets.get(1)));
        assertThatThrownBy(() -> NewGroup.in(trial.state, 4, 2, Durability.FSYNC, SLOTS))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("needs 3 targets that are up; there are 2");
    }

    // ---- members that leave

    @Test
    void whoIsDownLeavesWhenEnoughPositionsHaveJustAnswered() {
        var a = at(0, 0);
        var b = at(0, 1);
        var c = at(0, 2);
        down(c);
        assertThat(trial.apply(new Command.Expel(List.of(trial.named(0, a)))))
                .as("without answers")
                .isFalse();
        assertThat(expel(a)).as("only itself").isFalse();
        var stale = new Member(b.drive(), true, b.incarnation() + 1, b.since(), 1);
        assertThat(expel(a, stale)).as("another life of it").isFalse();
        assertThat(expel(a, c)).as("one that is down").isFalse();
        assertThat(expel(a, b)).isTrue();
        assertThat(trial.row(0).positions()).isEqualTo(2);
        assertThat(trial.row(0).member(c.drive())).isEmpty();
        assertThat(positions(trial.row(0), member -> !member.inSync())).containsExactly(2);
    }

    @Test
    void answersCountForTheTargetThatHadThemAndWhileTheyAreNew() {
        var a = at(0, 0);
        var b = at(0, 1);
        down(at(0, 2));
        var target = trial.where(a.drive());
        var drives = new TreeMap<>(Map.of(a.drive(), a.incarnation(), b.drive(), b.incarnation()));
        var asks = List.of(trial.named(0, a));
        int incarnation = trial.entry(target).incarnation();
        for (var answers : List.of(
                new Command.Answers(target, incarnation, SlotTrial.BEAT + 1, target, drives),
                new Command.Answers(target, incarnation + 1, SlotTrial.BEAT, target, drives),
                trial.answers(trial.where(b.drive())))) {
            assertThat(trial.apply(new Command.Expel(asks, Optional.of(answers))))
                    .as("%s", answers)
                    .isFalse();
        }
        assertThat(trial.apply(new Command.Expel(
                        asks, Optional.of(new Command.Answers(target, incarnation, SlotTrial.BEAT, target, drives)))))
                .isTrue();
    }

    /// Four targets, 2+1: the member of position 2 leaves and another one learns it; then that of position 1, and the
    /// first one comes back as the learner of 1, with equal versions of another slice.
    @Test
    void positionsChangeHands() {
        var a = at(0, 0);
        var b = at(0, 1);
        var c = at(0, 2);
        down(c);
        expel(a, b);
        var e = trial.row(0).members().getLast();
        assertThat(e.inSync()).isFalse();
        assertThat(e.position()).isEqualTo(2);
        trial.apply(new Command.Promote(List.of(trial.named(0, e))));
        e = at(0, 2);
        assertThat(e.inSync()).isTrue();
        down(b);
        expel(a, e);
        back(c);
        trial.apply(new Command.Fill());
        var again = trial.row(0).member(c.drive()).orElseThrow();
        assertThat(again.inSync()).isFalse();
        assertThat(again.position()).isEqualTo(1);
    }

    /// One of them leaves for the other, which has just answered; never at the wish of neither.
    @Test
    void twoOfOnePositionAreSurplus() {
        var row = shared();
        var twice =
                row.inSync().stream().filter(member -> member.position() == 2).toList();
        assertThat(twice).hasSize(2);
        var a = at(0, 0);
        assertThat(expel(a, at(0, 1))).as("neither has answered").isFalse();
        assertThat(expel(a, at(0, 1), twice.getFirst())).isTrue();
        assertThat(trial.row(0).inSync()).hasSize(3).contains(twice.getFirst());
        assertThat(trial.row(0).positions()).isEqualTo(3);
    }

    /// Members are counted by what they have, not by number.
    @Test
    void twoOfOnePositionDoNotStandForTheOthers() {
        var row = shared();
        var twice =
                row.inSync().stream().filter(member -> member.position() == 2).toList();
        down(at(0, 0));
        down(at(0, 1));
        assertThat(expel(twice.getFirst(), twice.getLast()))
                .as("only one position is there")
                .isFalse();
        assertThat(trial.row(0).inSync()).hasSize(4);
        back(at(0, 0));
        back(at(0, 1));
        assertThat(trial.row(0).positions()).isEqualTo(3);
    }

    /// Placement wants another drive for position 2 for a while, which learns it.
    private SlotRow shared() {
        trial.avoided.add(at(0, 2).drive());
        trial.apply(new Command.Fill());
        var learner = trial.row(0).members().getLast();
        assertThat(learner.inSync()).isFalse();
        assertThat(learner.position()).isEqualTo(2);
        trial.apply(new Command.Promote(List.of(trial.named(0, learner))));
        trial.avoided.clear();
        return trial.row(0);
    }

    @Test
    void anUnsoundMemberStaysWhereTheOthersDoNotMakeTheObjects() {
        var b = at(0, 1);
        var c = at(0, 2);
        var target = trial.where(b.drive());
        var drives = Set.of(b.drive());
        trial.apply(trial.register(target, "boot", drives, Set.of()));
        assertThat(trial.row(0).member(b.drive()).orElseThrow().inSync())
                .as("two others")
                .isFalse();
        down(c);
        expel(at(0, 0), c);
        var other = trial.where(c.drive());
        trial.apply(trial.register(other, "boot", Set.of(c.drive()), Set.of()));
        var stays = trial.row(0).member(c.drive()).orElseThrow();
        assertThat(stays.inSync()).as("one other").isTrue();
        assertThat(stays.position()).isEqualTo(2);
    }

    /// The one outside the goal leaves, and none for a missed answer of the other.
    @Test
    void theWantedOneOfTwoStays() {
        var row = shared();
        var unwanted = row.inSync().stream()
                .filter(member -> !trial.goal(0).contains(member.drive()))
                .findFirst()
                .orElseThrow();
        assertThat(expel(at(0, 0), at(0, 1), unwanted)).isFalse();
        var c = at(0, 2);
        assertThat(c).isNotEqualTo(unwanted);
        assertThat(expel(at(0, 0), at(0, 1), c, unwanted)).isTrue();
        assertThat(trial.row(0).member(unwanted.drive())).isEmpty();
        assertThat(trial.row(0).positions()).isEqualTo(3);
    }

    /// Its position is the one that it has when all targets are up: there is less to be made again.
    @Test
    void aDriveThatIsBackTakesItsOwnPosition() {
        trial = new SlotTrial(4, 1, 4, 2, Durability.FSYNC, SLOTS);
        var gone = List.of(at(0, 2), at(0, 3));
        gone.forEach(this::down);
        expel(at(0, 0), at(0, 1));
        assertThat(trial.row(0).inSync()).hasSize(2);
        back(gone.getLast());
        trial.apply(new Command.Fill());
        var learner = trial.row(0).member(gone.getLast().drive()).orElseThrow();
        assertThat(learner.position()).isEqualTo(3);
    }

    @Test
    void aMemberThatIsNotHeardStaysWhereItIsNeeded() {
        var a = at(0, 0);
        var b = at(0, 1);
        var c = at(0, 2);
        var primary = trial.where(a.drive());
        var other = trial.where(c.drive());
        trial.reachability = trial.new Reachable() {
            @Override
            public Set<UnreachablePair> pairs() {
                return Set.of(UnreachablePair.of(primary, other));
            }
        };
        trial.leased.add(primary);
        cutOff(primary, other, a);
        assertThat(trial.row(0).inSync()).as("only itself was heard").contains(c);
        cutOff(primary, other, b, c);
        assertThat(trial.row(0).inSync()).as("not heard itself").contains(c);
        cutOff(primary, other, a, new Member(b.drive(), true, b.incarnation() + 1, 1, 1));
        assertThat(trial.row(0).inSync()).as("another life").contains(c);
        cutOff(primary, other, a, b);
        assertThat(trial.row(0).member(c.drive())).isEmpty();
    }

    private void cutOff(NodeId primary, NodeId other, Member... answered) {
        var drives = new TreeMap<String, Integer>();
        for (var each : answered) {
            drives.put(each.drive(), each.incarnation());
        }
        var answers = new Command.Answers(primary, trial.entry(primary).incarnation(), SlotTrial.BEAT, primary, drives);
        trial.apply(new Command.CutOff(
                answers, other, List.of(trial.named(0, trial.row(0).primary()))));
    }

    /// Only an operator goes below the data positions.
    @Test
    void whatIsForgottenLeavesAllTheSame() {
        var gone = List.of(at(0, 1), at(0, 2));
        for (var member : gone) {
            down(member);
            trial.apply(new Command.Forget(trial.where(member.drive()), Optional.empty()));
        }
        trial.apply(new Command.GiveAway(List.of()));
        assertThat(trial.row(0).positions()).isEqualTo(1);
        assertThat(trial.row(0).inSync()).containsExactly(at(0, 0));
    }

    // ---- histories

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void eachEntryOfARandomHistoryKeepsEnoughPositions(long seed) throws IOException {
        random = new Random(seed);
        data = 2 + random.nextInt(2);
        replicas = data + 1 + random.nextInt(2);
        trial = new SlotTrial(
                replicas + random.nextInt(3), 1 + random.nextInt(2), replicas, data, Durability.FSYNC, SLOTS);
        var watcher = trial.state;
        for (int step = 0; step < STEPS; step++) {
            trial.leased.clear();
            trial.targets.stream().filter(_ -> random.nextBoolean()).forEach(trial.leased::add);
            trial.avoided.clear();
            if (random.nextInt(5) == 0) {
                trial.avoided.add(any(trial.drives(any(trial.targets))));
            }
            var command = proposal();
            var before = trial.state;
            var change = Planner.plan(before, command, trial.leader);
            trial.apply(command);
            for (int slot = 0; slot < SLOTS; slot++) {
                check(
                        "seed %d, step %d, %s, slot %d".formatted(seed, step, command, slot),
                        before.replication()
                                .table(SlotTrial.GROUP)
                                .orElseThrow()
                                .row(slot),
                        trial.row(slot),
                        command);
            }
            if (change.isPresent()) {
                var sent = StateCodec.decodeChange(StateCodec.encode(change.get()));
                assertThat(sent).isEqualTo(change.get());
                watcher = watcher.apply(sent).orElseThrow();
            }
            assertThat(watcher).isEqualTo(trial.state);
        }
        heal("seed " + seed);
    }

    private Command proposal() {
        var target = any(trial.targets);
        var boot = trial.entry(target).bootId();
        return switch (random.nextInt(14)) {
            case 0, 1 -> trial.register(target, boot, few(target), few(target));
            case 2, 3 -> trial.down(target);
            case 4 -> trial.up(target);
            case 5 -> trial.out(any(trial.drives(target)));
            case 6 -> trial.in(any(trial.drives(target)), random.nextBoolean());
            case 7 -> new Command.Fill();
            case 8 -> new Command.TakeOff(some(false, _ -> true));
            case 9 -> trial.opened(random.nextInt(SLOTS));
            case 10, 11 -> new Command.Promote(some(false, _ -> true));
            default -> {
                var answers = trial.answers(target);
                answers.drives().keySet().removeIf(_ -> random.nextInt(4) == 0);
                var asking = some(true, member -> trial.where(member.drive()).equals(target));
                yield new Command.Expel(asking, random.nextInt(6) == 0 ? Optional.empty() : Optional.of(answers));
            }
        };
    }

    private Set<String> few(NodeId target) {
        var few = new HashSet<>(trial.drives(target));
        few.removeIf(_ -> random.nextInt(4) > 0);
        return few;
    }

    private List<Command.SlotDrive> some(boolean inSync, Predicate<Member> which) {
        var some = new ArrayList<Command.SlotDrive>();
        for (int slot = 0; slot < SLOTS; slot++) {
            var members = trial.row(slot).members().stream()
                    .filter(member -> member.inSync() == inSync && which.test(member))
                    .toList();
            if (!members.isEmpty() && random.nextInt(3) > 0) {
                some.add(trial.named(slot, any(members)));
            }
        }
        return some;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private void check(String where, SlotRow before, SlotRow after, Command command) {
        var as = "%s:%n%s%n%s".formatted(where, before, after);
        assertThat(after.positions()).as(as).isGreaterThanOrEqualTo(data);
        assertThat(after.members().stream().map(member -> trial.where(member.drive())))
                .as(as)
                .doesNotHaveDuplicates();
        assertThat(after.members()).as(as).allMatch(member -> member.position() < replicas);
        for (var member : before.inSync()) {
            var now = after.member(member.drive());
            if (now.filter(Member::inSync).isPresent()) {
                assertThat(now.get().position())
                        .as("as long as it is a member: %s", as)
                        .isEqualTo(member.position());
            } else if (command instanceof Command.Expel expel) {
                leaves(as, member, after, expel.answers().orElseThrow().drives());
            } else { // it was not sound
                assertThat(command).as(as).isInstanceOfAny(Command.Register.class, Command.DriveIn.class);
            }
        }
        boolean added = after.members().stream()
                .anyMatch(member -> before.member(member.drive()).isEmpty());
        if (added) {
            assertThat((long) Positions.inSync(after.members()))
                    .as("learners: %s", as)
                    .isGreaterThanOrEqualTo(after.members().size() - (long) Math.max(replicas - after.positions(), 1));
        }
    }

    /// Enough of those that stay were heard. Of one that is not down, one of its position was heard, and stays.
    private void leaves(String as, Member member, SlotRow after, SortedMap<String, Integer> answered) {
        var heard = after.inSync().stream()
                .filter(other -> Integer.valueOf(other.incarnation()).equals(answered.get(other.drive())))
                .toList();
        if (trial.state.replication().usable(member.drive())) {
            assertThat(heard.stream().map(Member::position))
                    .as("surplus %s: %s", member, as)
                    .contains(member.position());
        }
        assertThat(SlotRow.positions(heard)).as("heard: %s", as).isGreaterThanOrEqualTo(data);
    }

    /// Everybody comes back, and is heard: each position is there once, where placement wants it.
    private void heal(String seed) {
        trial.avoided.clear();
        for (var target : trial.targets) {
            trial.apply(trial.register(target, trial.entry(target).bootId(), Set.of(), Set.of()));
        }
        trial.converge();
        for (int slot = 0; slot < SLOTS; slot++) {
            var row = trial.row(slot);
            assertThat(row.members())
                    .as("%s, slot %d", seed, slot)
                    .allMatch(Member::inSync)
                    .hasSize(replicas);
            assertThat(row.positions()).as("%s, slot %d", seed, slot).isEqualTo(replicas);
            assertThat(row.members().stream().map(member -> trial.where(member.drive())))
                    .as("%s, slot %d", seed, slot)
                    .containsExactlyInAnyOrderElementsOf(
                            trial.goal(slot).stream().map(trial::where).toList());
        }
    }
}
