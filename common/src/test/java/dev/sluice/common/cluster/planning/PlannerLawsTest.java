package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What holds after each entry of any history of proposals, also late and repeated ones.
class PlannerLawsTest {
    private static final int STEPS = 120;
    private static final int SLOTS = 16;

    private record Served(String drive, int incarnation) {}

    private final List<Set<Served>> mayServe = new ArrayList<>();
    private final List<Command> earlier = new ArrayList<>();
    private Random random = new Random(0);
    private Durability durability = Durability.FSYNC;
    private SlotTrial trial = new SlotTrial(2, 1, 2, durability, 1);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void eachEntryOfARandomHistoryKeepsTheLaws(long seed) throws IOException {
        random = new Random(seed);
        durability = random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC;
        int targets = 3 + random.nextInt(3);
        trial = new SlotTrial(targets, 1 + random.nextInt(2), 2 + random.nextInt(2), durability, SLOTS);
        for (int slot = 0; slot < SLOTS; slot++) {
            mayServe.add(new HashSet<>());
        }
        var watcher = trial.state;
        for (int step = 0; step < STEPS; step++) {
            chance(trial.leased);
            trial.avoided.clear();
            if (random.nextInt(5) == 0) {
                trial.avoided.add(any(trial.drives(any(trial.targets))));
            }
            trial.full.clear();
            if (random.nextInt(3) == 0) {
                trial.full.add(any(trial.drives(any(trial.targets))));
            }
            var command = random.nextInt(8) == 0 && !earlier.isEmpty() ? any(earlier) : proposal();
            earlier.add(command);
            var before = trial.state;
            var change = Planner.plan(before, command, trial.leader);
            var ifNoneWereFull = ifNoneWereFull(command);
            trial.apply(command);
            var where = "seed %d, step %d, %s".formatted(seed, step, command);
            for (int slot = 0; slot < SLOTS; slot++) {
                check(where, slot, command, before);
                checkFull(where, slot, command, before, ifNoneWereFull);
            }
            assertThat(Planner.next(trial.state, command, trial.leader))
                    .as("repeated: %s", where)
                    .isSameAs(trial.state);
            if (change.isPresent()) {
                var sent = StateCodec.decodeChange(StateCodec.encode(change.get()));
                assertThat(sent).as(where).isEqualTo(change.get());
                watcher = watcher.apply(sent).orElseThrow();
            }
            assertThat(watcher).as(where).isEqualTo(trial.state);
        }
        heal("seed " + seed);
    }

    private ClusterState ifNoneWereFull(Command command) {
        var full = Set.copyOf(trial.full);
        trial.full.clear();
        var after = Planner.next(trial.state, command, trial.leader);
        trial.full.addAll(full);
        return after;
    }

    /// A full drive gets no new role, and no member leaves because a drive is full.
    private void checkFull(
            String where, int slot, Command command, ClusterState stateBefore, ClusterState ifNoneWereFull) {
        var before = drives(row(stateBefore, slot).members());
        var after = drives(trial.row(slot).members());
        var added = new TreeSet<>(after);
        added.removeAll(before);
        assertThat(added).as(where).noneMatch(trial.full::contains);
        if (!(command instanceof Command.Expel)) { // which chooses the one that leaves by what placement wants
            var kept = new TreeSet<>(drives(row(ifNoneWereFull, slot).members()));
            kept.retainAll(before);
            assertThat(after).as(where).containsAll(kept);
        }
    }

    private static SlotRow row(ClusterState state, int slot) {
        return state.replication().table(SlotTrial.GROUP).orElseThrow().row(slot);
    }

    private void check(String where, int slot, Command command, ClusterState stateBefore) {
        var before = row(stateBefore, slot);
        var after = trial.row(slot);
        var as = "%s, slot %d:%n%s%n%s".formatted(where, slot, before, after);
        assertThat(after.members().stream().map(member -> trial.where(member.drive())))
                .as(as)
                .doesNotHaveDuplicates();
        if (after.equals(before)) {
            assertThat(after).as(as).isSameAs(before);
        }
        if (after.members().equals(before.members())) {
            assertThat(after.epoch()).as(as).isEqualTo(before.epoch());
        } else {
            assertThat(after.epoch()).as(as).isGreaterThan(before.epoch());
        }
        assertThat(drives(after.inSync())).as(as).containsAnyElementsOf(drives(before.inSync()));
        leavesInSync(as, command, stateBefore, before, after);
        uploads(as, command, before, after);
        roles(as, before, after);
        fences(as, slot, before, after, command instanceof Command.Opened);
    }

    /// What a primary alone has counts until another drive is primary, or its index is made anew.
    private static void uploads(String as, Command command, SlotRow before, SlotRow after) {
        var drive = after.primary().drive();
        var registered = switch (command) {
            case Command.Register register -> register.drives();
            case Command.DriveIn in -> List.of(in.drive());
            default -> List.<Command.RegisteredDrive>of();
        };
        boolean made = after.epoch() > before.epoch()
                && registered.stream().anyMatch(each -> each.id().equals(drive) && !each.sound());
        if (made || !before.primary().drive().equals(drive)) {
            assertThat(after.driveSince()).as(as).isGreaterThan(before.epoch());
        } else {
            assertThat(after.driveSince()).as(as).isEqualTo(before.driveSince());
        }
    }

    /// In-sync members leave only when one is asked for that, or is not sound and not the last.
    private void leavesInSync(String as, Command command, ClusterState stateBefore, SlotRow before, SlotRow after) {
        switch (command) {
            case Command.Expel expel -> {
                if (!after.equals(before)) {
                    assertThat(drives(after.inSync()))
                            .as(as)
                            .containsAnyElementsOf(expel.asking().stream()
                                    .map(Command.SlotDrive::drive)
                                    .toList());
                }
            }
            case Command.Register register -> {
                boolean rebooted = stateBefore.replication().target(register.target()).stream()
                        .anyMatch(entry -> !entry.bootId().equals(register.bootId()));
                for (var member : before.inSync()) {
                    boolean unsound = register.drives().stream()
                            .anyMatch(drive -> drive.id().equals(member.drive()) && !drive.sound());
                    boolean named = register.drives().stream()
                            .anyMatch(drive -> drive.id().equals(member.drive()));
                    staysIfItCan(
                            as,
                            named,
                            unsound || ((rebooted || wasOut(stateBefore, member)) && durability == Durability.OS),
                            member,
                            stateBefore,
                            before,
                            after);
                }
            }
            case Command.DriveIn in -> {
                for (var member : before.inSync()) {
                    boolean named = in.drive().id().equals(member.drive());
                    boolean mayLack = !in.drive().sound() || durability == Durability.OS;
                    staysIfItCan(as, named, mayLack, member, stateBefore, before, after);
                }
            }
            default -> assertThat(drives(after.inSync())).as(as).containsAll(drives(before.inSync()));
        }
    }

    private static boolean wasOut(ClusterState state, Member member) {
        return state.replication().drives().find(member.drive()).orElseThrow().out();
    }

    private void staysIfItCan(
            String as,
            boolean named,
            boolean mayLack,
            Member member,
            ClusterState stateBefore,
            SlotRow before,
            SlotRow after) {
        boolean applied = named && trial.state.version() != stateBefore.version();
        boolean leaves = applied && mayLack && before.inSync().size() > 1;
        assertThat(drives(after.inSync()).contains(member.drive()))
                .as("%s, %s", member, as)
                .isEqualTo(!leaves);
        if (applied && !leaves) {
            assertThat(after.primarySince())
                    .as("the primary fences again: %s", as)
                    .isGreaterThan(before.epoch());
        }
    }

    private static void roles(String as, SlotRow before, SlotRow after) {
        boolean learners = false;
        for (var member : after.members()) {
            assertThat(learners && member.inSync())
                    .as("in-sync members first: %s", as)
                    .isFalse();
            learners |= !member.inSync();
            boolean sameRole = before.member(member.drive())
                    .filter(earlier ->
                            earlier.inSync() == member.inSync() && earlier.incarnation() == member.incarnation())
                    .isPresent();
            if (sameRole && before.epoch() == after.epoch()) {
                assertThat(member)
                        .as(as)
                        .isEqualTo(before.member(member.drive()).orElseThrow());
            } else if (!sameRole) {
                assertThat(member.since()).as(as).isGreaterThan(before.epoch()).isLessThanOrEqualTo(after.epoch());
            }
        }
        if (after.primarySince() == before.primarySince()) {
            assertThat(after.primary().drive())
                    .as(as)
                    .isEqualTo(before.primary().drive());
            assertThat(after.primary().incarnation())
                    .as(as)
                    .isEqualTo(before.primary().incarnation());
        } else {
            assertThat(after.primarySince()).as(as).isGreaterThan(before.epoch());
        }
    }

    /// All who may think that an epoch of theirs counts, since the last one that was opened, have to be asked.
    private void fences(String as, int slot, SlotRow before, SlotRow after, boolean opens) {
        var serve = mayServe.get(slot);
        if (before.opened()) {
            serve.clear();
        }
        boolean begins = after.primarySince() != before.primarySince();
        if (before.epoch() != after.epoch() && (begins || !after.opened())) {
            before.inSync().forEach(member -> serve.add(new Served(member.drive(), member.incarnation())));
        }
        serve.removeIf(one ->
                !trial.state.replication().usable(one.drive()) || trial.incarnation(one.drive()) != one.incarnation());
        if (after.opened() && begins) {
            assertThat(after.inSync()).as("opened without a word: %s", as).hasSize(1);
        }
        if (after.opened() && (begins || !before.opened()) && !opens) {
            assertThat(serve.stream().map(Served::drive))
                    .as("opened without a word, and not asked: %s", as)
                    .isSubsetOf(List.of(after.primary().drive()));
        }
        if (after.opened()) {
            serve.clear();
            assertThat(after.fence()).as(as).isEmpty();
        }
        var asked = new TreeSet<>(after.fence());
        assertThat(asked).as(as).containsAll(serve.stream().map(Served::drive).toList());
        asked.removeAll(serve.stream().map(Served::drive).toList());
        asked.removeAll(drives(after.inSync()));
        asked.removeIf(drive -> after.member(drive).isPresent()); // registered in this entry or since
        assertThat(asked).as("asked for nothing: %s", as).isEmpty();
    }

    private static Set<String> drives(List<Member> members) {
        return members.stream().map(Member::drive).collect(Collectors.toCollection(TreeSet::new));
    }

    private void heal(String seed) {
        trial.avoided.clear();
        for (var target : trial.targets) {
            trial.apply(trial.register(target, trial.entry(target).bootId(), Set.of(), Set.of()));
        }
        trial.full.clear();
        trial.full.add(any(trial.drives(any(trial.targets))));
        trial.converge();
        for (int slot = 0; slot < SLOTS; slot++) {
            assertThat(trial.row(slot).members()).as("%s, slot %d", seed, slot).allMatch(Member::inSync);
        }
        trial.full.clear();
        trial.apply(new Command.Fill());
        trial.converge();
        for (int slot = 0; slot < SLOTS; slot++) {
            var row = trial.row(slot);
            assertThat(row.members()).as("%s, slot %d", seed, slot).allMatch(Member::inSync);
            assertThat(row.members().stream().map(member -> trial.where(member.drive())))
                    .as("%s, slot %d", seed, slot)
                    .containsExactlyInAnyOrderElementsOf(
                            trial.goal(slot).stream().map(trial::where).toList());
            assertThat(row.opened()).isTrue();
        }
    }

    private Command proposal() {
        var target = any(trial.targets);
        int slot = random.nextInt(SLOTS);
        return switch (random.nextInt(17)) {
            case 0, 1 -> register(target);
            case 2, 3 -> trial.down(target);
            case 4 -> trial.up(target);
            case 5 -> new Command.Trust(target, trial.entry(target).version());
            case 6 -> trial.out(any(trial.drives(target)));
            case 7 -> trial.in(any(trial.drives(target)), random.nextBoolean());
            case 8 -> new Command.Fill();
            case 9 -> new Command.TakeOff(some(false));
            case 10, 11 -> trial.opened(slot);
            case 12, 13, 14 -> new Command.Promote(some(false));
            default -> new Command.Expel(some(true));
        };
    }

    private Command register(NodeId target) {
        var boot = random.nextInt(3) == 0
                ? "boot" + random.nextInt()
                : trial.entry(target).bootId();
        return trial.register(target, boot, few(target), few(target));
    }

    private Set<String> few(NodeId target) {
        return trial.drives(target).stream().filter(_ -> random.nextInt(4) == 0).collect(Collectors.toSet());
    }

    /// A member of this role of each of some slots.
    private List<Command.SlotDrive> some(boolean inSync) {
        var some = new ArrayList<Command.SlotDrive>();
        for (int slot = 0; slot < SLOTS; slot++) {
            var members = trial.row(slot).members().stream()
                    .filter(member -> member.inSync() == inSync)
                    .toList();
            if (!members.isEmpty() && random.nextInt(3) > 0) {
                some.add(trial.named(slot, any(members)));
            }
        }
        return some;
    }

    private void chance(Set<NodeId> leased) {
        leased.clear();
        trial.targets.stream().filter(_ -> random.nextBoolean()).forEach(leased::add);
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
