package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Command.SlotCommand;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.Command.SlotEpoch;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.cluster.planning.ReachabilityView;
import dev.sluice.common.cluster.planning.UnreachablePair;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.DriveTable;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.placement.Slot;
import dev.sluice.targetnode.replica.core.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// The planner of the controllers, in place of the model's. What it does not know yet (planned moves) the
/// model's does.
final class ProductionPlanner {
    private static final int GROUP = 1;
    private static final String PREFIX = "simulated-";
    private static final Map<String, NodeId> NODES = new ConcurrentHashMap<>();
    private static final ClusterState CLUSTER = cluster();

    /// A table of drives ranks them for all slots once.
    private static final Map<SortedMap<String, DriveEntry>, DriveTable> RANKED = new ConcurrentHashMap<>();

    private ProductionPlanner() {}

    private static ClusterState cluster() {
        var targets = new TreeSet<NodeId>();
        for (int i = 0; i < 6; i++) {
            targets.add(node("t" + i));
        }
        var state = ClusterState.create("simulated", targets, new TreeMap<>());
        for (var target : targets) {
            state = Planner.next(state, new Command.Join(new Node(target, Role.TARGET, "http://h:1", "", 1)));
        }
        return state;
    }

    static NodeId node(String name) {
        return NODES.computeIfAbsent(name, _ -> new NodeId(PREFIX + name));
    }

    static String name(NodeId node) {
        return node.value().substring(PREFIX.length());
    }

    static LogPlanner.Outcome plan(LogState state, Entry entry, LogPlanner.Leader leader, Set<String> broken) {
        return switch (entry) {
            case Entry.Move _, Entry.Demote _, Entry.Drain _, Entry.Query _, Entry.LastBoot _ ->
                LogPlanner.plan(state, entry, leader, broken);
            case Entry.Goal goal -> {
                var next = state.next();
                next.goal = goal.replicas();
                yield plan(next, new Command.Fill(), leader)
                        .or(() -> Optional.of(next))
                        .map(done -> new LogPlanner.Outcome(Optional.of(done), Optional.empty()))
                        .orElseThrow();
            }
            case Entry.Register register -> {
                var next = plan(state, command(register), leader);
                var now = next.orElse(state);
                var known = now.replication
                        .orElseGet(() -> replication(now))
                        .incarnation(node(register.target()), register.nonce());
                yield new LogPlanner.Outcome(next, known);
            }
            case Entry.OfSlot(int slot, var proposal) -> outcome(state, command(slot, proposal), leader);
            case Entry.Down down -> {
                var boots = new TreeMap<NodeId, Integer>();
                down.boots().forEach((controller, boot) -> boots.put(node("c" + controller), boot));
                yield outcome(state, new Command.Down(node(down.target()), down.entry(), boots), leader);
            }
            case Entry.Trust(var target, int version) ->
                outcome(state, new Command.Trust(node(target), version), leader);
            case Entry.Up(var target, int incarnation) ->
                outcome(state, new Command.Up(node(target), incarnation), leader);
            case Entry.Boot(int controller, int boot) ->
                outcome(state, new Command.ControllerBoot(node("c" + controller), boot), leader);
            case Entry.DriveOut(var drive, int incarnation) ->
                outcome(
                        state,
                        new Command.DriveOut(node(LogState.where(drive)), new TreeMap<>(Map.of(drive, incarnation))),
                        leader);
            case Entry.DriveIn(var drive, int process, int ifIncarnation, var nonce, boolean lossy) ->
                outcome(
                        state,
                        new Command.DriveIn(
                                node(LogState.where(drive)),
                                process,
                                new Command.RegisteredDrive(drive, 1, !lossy),
                                ifIncarnation,
                                nonce),
                        leader);
            case Entry.Mute(var target, int version, var muted) -> {
                var those = new TreeSet<NodeId>();
                muted.forEach(each -> those.add(node(each)));
                yield outcome(state, new Command.Mute(node(target), version, those), leader);
            }
            case Entry.Unmute(var target, int version) ->
                outcome(state, new Command.Unmute(node(target), version), leader);
            case Entry.Fenced(var target, int incarnation, int version) ->
                outcome(state, new Command.Fenced(node(target), incarnation, version), leader);
            case Entry.CutOff(var _, var _, var _, var _, var _, var by)
            when by.controller() != leader.id() -> new LogPlanner.Outcome(Optional.empty(), Optional.empty());
            case Entry.CutOff off -> outcome(state, command(off, state, broken), leader);
            case Entry.Expel expel -> {
                var who = expel.proposal();
                var asking = new SlotDrive(GROUP, expel.slot(), who.epoch(), who.drive(), who.incarnation());
                var answers = Optional.of(answers(expel.by(), state, broken))
                        .filter(_ -> expel.by().controller() == leader.id());
                yield outcome(state, new Command.Expel(List.of(asking), answers), leader);
            }
            case Entry.Fill() -> outcome(state, new Command.Fill(), leader);
        };
    }

    private static LogPlanner.Outcome outcome(LogState state, SlotCommand command, LogPlanner.Leader leader) {
        return new LogPlanner.Outcome(plan(state, command, leader), Optional.empty());
    }

    private static Command.Answers answers(Entry.Answered by, LogState state, Set<String> broken) {
        var drives = new TreeMap<>(by.drives());
        if (broken.contains("x_ec_belief")) {
            state.drives.keySet().stream()
                    .filter(state::usable)
                    .forEach(drive -> drives.put(drive, state.incarnationOf(drive)));
        }
        return new Command.Answers(node(by.target()), by.process(), by.beat(), node("c" + by.controller()), drives);
    }

    private static SlotCommand command(Entry.CutOff off, LogState state, Set<String> broken) {
        return new Command.CutOff(
                answers(off.by(), state, broken),
                node(LogState.where(off.leaving())),
                List.of(new SlotDrive(GROUP, off.slot(), off.epoch(), off.primary(), off.incarnation())));
    }

    private static ReachabilityView cutsOf(LogPlanner.Leader leader) {
        return new ReachabilityView() {
            @Override
            public Set<UnreachablePair> pairs() {
                return leader.reachability().pairs();
            }

            @Override
            public boolean isHeardByFew(NodeId target) {
                return leader.reachability().isHeardByFew(target);
            }

            @Override
            public boolean hasJustBeaten(NodeId target, int incarnation, long beat) {
                return leader.reachability().hasJustBeaten(target, incarnation, beat);
            }

            @Override
            public boolean wasCutOff(int group, int slot) {
                return leader.wasCutOff(slot);
            }
        };
    }

    private static SlotCommand command(Entry.Register register) {
        var drives = new ArrayList<Command.RegisteredDrive>();
        register.drives()
                .forEach(drive -> drives.add(new Command.RegisteredDrive(
                        drive,
                        1,
                        !register.lossy().contains(drive),
                        !register.kept().contains(drive),
                        0)));
        return new Command.Register(
                node(register.target()), register.nonce(), register.ifIncarnation(), register.bootId(), drives);
    }

    private static SlotCommand command(int slot, Proposal proposal) {
        return switch (proposal) {
            case Proposal.Opened(long epoch) -> new Command.Opened(List.of(new SlotEpoch(GROUP, slot, epoch)));
            case Proposal.Promote(long epoch, var drive, int incarnation) ->
                new Command.Promote(List.of(new SlotDrive(GROUP, slot, epoch, drive, incarnation)));
            case Proposal.Expel(long epoch, var drive, int incarnation) ->
                new Command.Expel(List.of(new SlotDrive(GROUP, slot, epoch, drive, incarnation)));
            case Proposal.TakeOff(long epoch, var drive, int incarnation) ->
                new Command.TakeOff(List.of(new SlotDrive(GROUP, slot, epoch, drive, incarnation)));
        };
    }

    private static Optional<LogState> plan(LogState state, SlotCommand command, LogPlanner.Leader leader) {
        var before = replication(state);
        var planned = Planner.next(cluster(state.version, before), command, new PlanningFacts() {
            @Override
            public boolean leased(NodeId target) {
                return leader.leased(name(target) + ".", state);
            }

            @Override
            public boolean avoids(int group, int slot, String drive) {
                return leader.avoids(slot, drive);
            }

            @Override
            public ReachabilityView reachability() {
                return cutsOf(leader);
            }

            @Override
            public boolean isFull(String drive) {
                return false;
            }
        });
        var after = planned.replication();
        return after.equals(before) ? Optional.empty() : Optional.of(state(state, after));
    }

    private static ClusterState cluster(long version, Replication replication) {
        return new ClusterState(
                version,
                CLUSTER.clusterId(),
                CLUSTER.members(),
                CLUSTER.map(),
                CLUSTER.buckets(),
                CLUSTER.credentials(),
                replication,
                CLUSTER.jobs());
    }

    /// What a controller has to know of a state for its promises.
    static ClusterState known(LogState state) {
        return state.known.orElseGet(() -> {
            var known = knownOf(state);
            state.known = Optional.of(known);
            return known;
        });
    }

    private static ClusterState knownOf(LogState state) {
        return cluster(
                state.version,
                new Replication(
                        state.lastIncarnation,
                        state.targets(),
                        DriveTable.EMPTY,
                        controllers(state),
                        new TreeMap<>(),
                        new TreeSet<>(),
                        Map.of()));
    }

    private static SortedMap<NodeId, Integer> controllers(LogState state) {
        var controllers = new TreeMap<NodeId, Integer>();
        state.boots.forEach((controller, boot) -> controllers.put(node("c" + controller), boot));
        return controllers;
    }

    /// The state as the production planner knows it. Its rows and its group may have been changed by the model's.
    private static Replication replication(LogState state) {
        var rows = new SlotRow[state.slots.size()];
        state.slots.forEach((slot, row) -> rows[slot] = row);
        var durability = state.os ? Durability.OS : Durability.FSYNC;
        var groups = new TreeMap<>(Map.of(GROUP, new Group(GROUP, state.goal, state.data, durability, Slot.COUNT)));
        var tables = Map.of(GROUP, SlotTable.of(rows));
        if (state.replication.isPresent()) {
            var known = state.replication.get();
            return new Replication(
                    known.lastIncarnation(),
                    known.targets(),
                    known.drives(),
                    known.controllers(),
                    groups,
                    new TreeSet<>(),
                    tables);
        }
        var targets = state.targets();
        var drives = new TreeMap<String, DriveEntry>();
        state.drives.forEach((drive, target) -> drives.put(
                drive,
                new DriveEntry(
                        node(target),
                        1,
                        false,
                        Known.of(state.incarnation, target),
                        state.nonce.getOrDefault(target, ""))));
        var table = RANKED.computeIfAbsent(drives, entries -> {
            var made = new DriveTable(entries);
            made.prepare(); // else each change of it is ranked anew
            return made;
        });
        return new Replication(
                state.lastIncarnation, targets, table, controllers(state), groups, new TreeSet<>(), tables);
    }

    private static LogState state(LogState before, Replication after) {
        var next = before.next();
        next.replication = Optional.of(after);
        next.lastIncarnation = after.lastIncarnation();
        after.targets().forEach((target, entry) -> {
            var name = name(target);
            next.incarnation.put(name, entry.incarnation());
            next.up.put(name, entry.up());
            next.entry.put(name, (int) entry.version());
            next.nonce.put(name, entry.nonce());
            next.bootIds.put(name, entry.bootId());
        });
        next.muted.clear();
        after.muted().forEach(target -> next.muted.add(name(target)));
        next.out.clear();
        after.drives().entries().forEach((drive, entry) -> {
            next.drives.put(drive, name(entry.target()));
            if (entry.out()) {
                next.out.add(drive);
            }
        });
        after.controllers()
                .forEach((controller, boot) ->
                        next.boots.put(Integer.parseInt(name(controller).substring(1)), boot));
        var table = after.table(GROUP).orElseThrow();
        for (int slot = 0; slot < table.size(); slot++) {
            next.slots.put(slot, table.row(slot));
        }
        return next;
    }
}
