package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Command.RegisteredDrive;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.Command.SlotEpoch;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/// A state with one group of few slots, and proposals about it.
final class SlotTrial {
    static final int GROUP = 1;
    /// The one that was answered a moment ago.
    static final long BEAT = 7;

    final List<NodeId> targets;
    final int drivesEach;
    final Set<NodeId> leased = new HashSet<>();
    final Set<String> avoided = new HashSet<>();
    final Set<String> full = new HashSet<>();
    ReachabilityView reachability = new Reachable();
    ClusterState state;
    private int nonces;

    final PlanningFacts leader = new PlanningFacts() {
        @Override
        public boolean leased(NodeId target) {
            return leased.contains(target) && entry(target).up();
        }

        @Override
        public ReachabilityView reachability() {
            return reachability;
        }

        @Override
        public boolean avoids(int group, int slot, String drive) {
            return avoided.contains(drive);
        }

        @Override
        public boolean isFull(String drive) {
            return full.contains(drive);
        }
    };

    SlotTrial(int targetCount, int drivesEach, int replicas, Durability durability, int slots) {
        this(targetCount, drivesEach, replicas, 1, durability, slots);
    }

    /// @param data how many of the replicas make an object
    SlotTrial(int targetCount, int drivesEach, int replicas, int data, Durability durability, int slots) {
        this.targets = IntStream.range(0, targetCount)
                .mapToObj(i -> new NodeId("target%03d".formatted(i)))
                .toList();
        this.drivesEach = drivesEach;
        state = ClusterState.create("c", new TreeSet<>(targets), new TreeMap<>());
        for (var target : targets) {
            state = Planner.next(state, new Command.Join(new Node(target, Role.TARGET, "http://h:1", "", 1)));
            state = Planner.next(state, register(target, "boot", Set.of(), Set.of()));
        }
        var grouped = NewGroup.in(state, replicas, data, durability, slots);
        state = state.apply(new Change(
                        state.version(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(grouped.withTables(Map.of())),
                        new TreeMap<>(
                                Map.of(GROUP, grouped.table(GROUP).orElseThrow().all()))))
                .orElseThrow();
    }

    List<String> drives(NodeId target) {
        return IntStream.range(0, drivesEach).mapToObj(i -> target + "-d" + i).toList();
    }

    NodeId where(String drive) {
        return state.replication().drives().find(drive).orElseThrow().target();
    }

    /// A registration of a new process.
    Command.Register register(NodeId target, String bootId, Set<String> unsound, Set<String> missing) {
        return new Command.Register(
                target,
                "nonce" + nonces++,
                state.replication().incarnation(target),
                bootId,
                drives(target).stream()
                        .filter(drive -> !missing.contains(drive))
                        .map(drive -> new RegisteredDrive(drive, 1, !unsound.contains(drive)))
                        .toList());
    }

    Command.Down down(NodeId target) {
        return new Command.Down(target, entry(target).version(), new TreeMap<>());
    }

    Command.Up up(NodeId target) {
        return new Command.Up(target, entry(target).incarnation());
    }

    Command.DriveOut out(String drive) {
        return new Command.DriveOut(where(drive), new TreeMap<>(Map.of(drive, incarnation(drive))));
    }

    /// That a drive is back.
    Command.DriveIn in(String drive, boolean sound) {
        var itself = new RegisteredDrive(drive, 1, sound);
        var target = where(drive);
        return new Command.DriveIn(target, entry(target).incarnation(), itself, incarnation(drive), "nonce" + nonces++);
    }

    int incarnation(String drive) {
        return state.replication().drives().find(drive).orElseThrow().incarnation();
    }

    TargetEntry entry(NodeId target) {
        return state.replication().target(target).orElseThrow();
    }

    SlotTable table() {
        return state.replication().table(GROUP).orElseThrow();
    }

    SlotRow row(int slot) {
        return table().row(slot);
    }

    Command.Opened opened(int slot) {
        return new Command.Opened(List.of(new SlotEpoch(GROUP, slot, row(slot).epoch())));
    }

    SlotDrive named(int slot, Member member) {
        return new SlotDrive(GROUP, slot, row(slot).epoch(), member.drive(), member.incarnation());
    }

    /// That all usable drives have just answered a target.
    Command.Answers answers(NodeId target) {
        var drives = new TreeMap<String, Integer>();
        for (var other : targets) {
            drives(other).stream()
                    .filter(state.replication()::usable)
                    .forEach(drive -> drives.put(drive, incarnation(drive)));
        }
        return new Command.Answers(target, entry(target).incarnation(), BEAT, target, drives);
    }

    /// @return whether it had an effect
    boolean apply(Command command) {
        var before = state;
        state = Planner.next(state, command, leader);
        return state.version() != before.version();
    }

    /// What placement wants for a slot now.
    List<String> goal(int slot) {
        var draft = new NextState(state.replication(), state.map());
        return new RowTransitions(draft, leader)
                .goal(
                        Objects.requireNonNull(state.replication().groups().get(GROUP)),
                        slot,
                        row(slot).members());
    }

    /// What living nodes do until nothing changes: primaries open, learners get everything, surplus is asked to leave.
    void converge() {
        for (int round = 0; round < 40; round++) {
            long before = state.version();
            var slots = new ArrayList<SlotEpoch>();
            for (int slot = 0; slot < table().size(); slot++) {
                slots.add(new SlotEpoch(GROUP, slot, row(slot).epoch()));
            }
            apply(new Command.Opened(slots));
            var learners = new ArrayList<SlotDrive>();
            var asking = new ArrayList<SlotDrive>();
            for (int slot = 0; slot < table().size(); slot++) {
                var row = row(slot);
                for (var member : row.members()) {
                    if (!member.inSync()) {
                        learners.add(named(slot, member));
                    } else if (state.replication().usable(member.drive())) {
                        asking.add(named(slot, member));
                    }
                }
            }
            apply(new Command.Promote(learners));
            for (var target : targets) {
                var its = asking.stream()
                        .filter(one -> where(one.drive()).equals(target))
                        .toList();
                apply(new Command.Expel(its, Optional.of(answers(target))));
            }
            apply(new Command.Fill());
            if (state.version() == before) {
                return;
            }
        }
        throw new AssertionError("it does not come to rest: " + table());
    }

    /// Everybody hears everybody.
    class Reachable implements ReachabilityView {
        @Override
        public Set<UnreachablePair> pairs() {
            return Set.of();
        }

        @Override
        public boolean isHeardByFew(NodeId target) {
            return false;
        }

        @Override
        public boolean hasJustBeaten(NodeId target, int incarnation, long beat) {
            return beat == BEAT && incarnation == entry(target).incarnation();
        }

        @Override
        public boolean wasCutOff(int group, int slot) {
            return false;
        }
    }
}
