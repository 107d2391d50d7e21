package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command.Answers;
import dev.sluice.common.cluster.Command.ControllerBoot;
import dev.sluice.common.cluster.Command.CutOff;
import dev.sluice.common.cluster.Command.Down;
import dev.sluice.common.cluster.Command.DriveIn;
import dev.sluice.common.cluster.Command.DriveOut;
import dev.sluice.common.cluster.Command.Expel;
import dev.sluice.common.cluster.Command.Fenced;
import dev.sluice.common.cluster.Command.Fill;
import dev.sluice.common.cluster.Command.Forget;
import dev.sluice.common.cluster.Command.GiveAway;
import dev.sluice.common.cluster.Command.Mute;
import dev.sluice.common.cluster.Command.Opened;
import dev.sluice.common.cluster.Command.Promote;
import dev.sluice.common.cluster.Command.Register;
import dev.sluice.common.cluster.Command.RegisteredDrive;
import dev.sluice.common.cluster.Command.SlotCommand;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.Command.SlotEpoch;
import dev.sluice.common.cluster.Command.TakeOff;
import dev.sluice.common.cluster.Command.Trust;
import dev.sluice.common.cluster.Command.Unmute;
import dev.sluice.common.cluster.Command.Up;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// What a command does to targets, drives and slots: a pure function of the state, the command and what the leader
/// knows. A command that names something which is not so any more has no effect.
final class SlotPlanner {
    private final ClusterState state;
    private final Replication before;
    private final PlanningFacts facts;
    private final NextState draft;

    private SlotPlanner(ClusterState state, PlanningFacts facts) {
        this.state = state;
        this.before = state.replication();
        this.facts = facts;
        this.draft = new NextState(before, state.map());
    }

    /// The same object when the command has no effect.
    ///
    /// @throws StoreException.InvalidArgument when the command can never be applied
    static Replication plan(ClusterState state, SlotCommand command, PlanningFacts facts) {
        return new SlotPlanner(state, facts).plan(command);
    }

    private Replication plan(SlotCommand command) {
        switch (command) {
            case Register register -> register(register);
            case Up(var target, int incarnation) ->
                entry(target)
                        .filter(entry -> entry.incarnation() == incarnation && !entry.up() && !entry.muted())
                        .ifPresent(entry -> {
                            draft.put(target, entry.withUp(true));
                            fill();
                        });
            case Down down -> down(down);
            case Trust(var target, long version) ->
                entry(target)
                        .filter(entry -> entry.version() == version)
                        .ifPresent(entry -> draft.put(target, entry.trusted()));
            case ControllerBoot(var controller, int boot) ->
                draft.put(controller, Math.max(boot, before.controllers().getOrDefault(controller, 0)));
            case DriveOut out -> driveOut(out);
            case DriveIn in -> driveIn(in);
            case Opened(var slots) -> opened(slots);
            case Promote(var learners) -> {
                var rules = rules();
                change(
                        learners,
                        rules,
                        (group, one) -> (row, wanted) -> learner(row, one)
                                .map(member -> rules.fill(group, rules.promoted(group, row, member), wanted))
                                .orElse(row));
            }
            case Expel(var asking, var answers) -> {
                var rules = rules();
                var now = answers.filter(this::isNew);
                change(asking, rules, (group, one) -> {
                    var answered = answered(now, one.drive());
                    return (row, wanted) ->
                            asks(rules, row, one) ? rules.expel(group, row, wanted, one.drive(), answered) : row;
                });
            }
            case TakeOff(var learners) -> {
                var rules = rules();
                change(
                        learners,
                        rules,
                        (group, one) -> (row, _) -> learner(row, one)
                                .map(member -> rules.without(group, row, member))
                                .orElse(row));
            }
            case Fill() -> fill();
            case Mute(var target, long version, var muted) ->
                entry(target)
                        .filter(entry -> entry.version() == version && entry.up() && !entry.muted())
                        .filter(_ -> before.muted().equals(muted)
                                && facts.reachability().isHeardByFew(target))
                        .ifPresent(entry -> draft.put(target, entry.withMuted()));
            case Unmute(var target, long version) ->
                entry(target)
                        .filter(entry -> entry.version() == version && entry.muted())
                        .ifPresent(entry -> draft.put(target, entry.heardAgain()));
            case CutOff off -> cutOff(off);
            case Fenced fenced -> fenced(fenced);
            case Forget(var target, var drive) -> forget(target, drive);
            case GiveAway(var heirs) -> giveAway(heirs);
        }
        return draft.done();
    }

    private Optional<TargetEntry> entry(NodeId target) {
        return before.target(target);
    }

    private void fill() {
        eachRow((rules, group) -> (row, wanted) -> rules.fill(group, row, wanted));
    }

    /// Without the drives that were forgotten, which a target may have still.
    private void register(Register command) {
        registerAllowed(new Register(
                command.target(),
                command.nonce(),
                command.ifIncarnation(),
                command.bootId(),
                command.drives().stream()
                        .filter(drive -> !isForgotten(drive.id()))
                        .toList()));
    }

    private void registerAllowed(Register command) {
        var target = command.target();
        var known = entry(target);
        if (known.filter(entry -> entry.nonce().equals(command.nonce())).isPresent()
                || before.incarnation(target) != command.ifIncarnation()) {
            return;
        }
        requireTarget(target, command.drives());
        int incarnation = draft.newIncarnation();
        boolean muted = known.filter(TargetEntry::muted).isPresent();
        draft.put(
                target,
                new TargetEntry(
                        incarnation,
                        command.nonce(),
                        command.bootId(),
                        !muted,
                        known.map(TargetEntry::version).orElse(0L) + 1,
                        muted));
        attach(command, incarnation);
        boolean rebooted =
                known.filter(entry -> !entry.bootId().equals(command.bootId())).isPresent();
        var lacking = command.drives().stream()
                .filter(RegisteredDrive::mayLackUnsynced)
                .map(RegisteredDrive::id)
                .collect(Collectors.toUnmodifiableSet());
        registered(
                command.drives(),
                drive -> rebooted
                        || lacking.contains(drive)
                        || before.drives().find(drive).filter(DriveEntry::out).isPresent(),
                drivesOf(target));
    }

    /// @param unsynced whether a drive may have lost writes that were not synced: power was lost, or it was away
    /// @param gone drives whose process of before has ended
    private void registered(List<RegisteredDrive> drives, Predicate<String> unsynced, Set<String> gone) {
        var named = drives.stream().map(RegisteredDrive::id).collect(Collectors.toUnmodifiableSet());
        var lacking = named.stream().filter(unsynced).collect(Collectors.toUnmodifiableSet());
        var unsound = drives.stream()
                .filter(drive -> !drive.sound())
                .map(RegisteredDrive::id)
                .collect(Collectors.toUnmodifiableSet());
        eachRow((rules, group) -> (row, wanted) -> {
            var back = rules.registered(group, row, named, lacking, unsound);
            return rules.fill(group, NextRow.vouched(back, gone), wanted);
        });
    }

    private void requireTarget(NodeId target, List<RegisteredDrive> drives) {
        var node = state.map().nodes().get(target);
        if (node == null || node.role() != Role.TARGET) {
            throw new StoreException.InvalidArgument(target + " has not joined as a target");
        }
        for (var drive : drives) {
            if (!(drive.weight() > 0) || Double.isInfinite(drive.weight())) {
                throw new StoreException.InvalidArgument(
                        "the weight of drive %s is %s".formatted(drive.id(), drive.weight()));
            }
            before.drives()
                    .find(drive.id())
                    .filter(entry -> !entry.target().equals(target))
                    .ifPresent(entry -> {
                        throw new StoreException.InvalidArgument("drive %s is a drive of %s, and not of %s"
                                .formatted(drive.id(), entry.target(), target));
                    });
        }
    }

    private void attach(Register command, int incarnation) {
        before.drives().entries().forEach((drive, entry) -> {
            if (entry.target().equals(command.target())) {
                draft.put(drive, entry.withOut());
            }
        });
        command.drives().forEach(drive -> attach(command.target(), drive, incarnation, command.nonce()));
    }

    /// A known drive keeps its weight. It is no longer out: while it was, no write was acknowledged in its slots, or
    /// it was taken off them.
    private void attach(NodeId target, RegisteredDrive drive, int incarnation, String nonce) {
        draft.put(
                drive.id(),
                before.drives()
                        .find(drive.id())
                        .map(entry -> entry.withIn(incarnation, nonce))
                        .orElseGet(() -> new DriveEntry(target, drive.weight(), false, incarnation, nonce)));
    }

    private void down(Down command) {
        var known = entry(command.target())
                .filter(entry -> entry.up() && entry.version() == command.version())
                .filter(_ -> command.boots().entrySet().stream()
                        .allMatch(boot -> before.controllers()
                                .getOrDefault(boot.getKey(), 0)
                                .equals(boot.getValue())));
        if (known.isPresent()) {
            draft.put(command.target(), known.get().withUp(false));
            fillAndVouch(drivesOf(command.target()));
        }
    }

    private void driveOut(DriveOut command) {
        var out = new HashSet<String>();
        command.drives()
                .forEach((drive, incarnation) -> before.drives()
                        .find(drive)
                        .filter(entry -> !entry.out()
                                && entry.target().equals(command.target())
                                && entry.incarnation() == incarnation)
                        .ifPresent(entry -> {
                            draft.put(drive, entry.withOut());
                            out.add(drive);
                        }));
        if (!out.isEmpty()) {
            fillAndVouch(out);
        }
    }

    /// As if the target had registered with this drive alone, after a loss of power: writes that were not synced may
    /// be lost.
    private void driveIn(DriveIn command) {
        var drive = command.drive();
        if (isForgotten(drive.id())) {
            throw new StoreException.InvalidArgument(
                    "drive %s was forgotten (sluice cluster forget): what it has is out of date; empty it, and it is a new one"
                            .formatted(drive.id()));
        }
        var known = before.drives().find(drive.id());
        boolean isOut = known.map(DriveEntry::out).orElse(true);
        if (before.incarnation(command.target()) != command.incarnation()
                || known.map(DriveEntry::incarnation).orElse(0) != command.ifIncarnation()
                || !isOut) {
            return;
        }
        requireTarget(command.target(), List.of(drive));
        attach(command.target(), drive, draft.newIncarnation(), command.nonce());
        registered(List.of(drive), _ -> true, Set.of(drive.id()));
    }

    /// Only while the asking target lives as far as this controller knows, and is not the one that is cut off
    /// from most.
    private void cutOff(CutOff command) {
        var reachability = facts.reachability();
        var asker = command.answers().target();
        boolean lives =
                entry(asker).filter(entry -> entry.up() && !entry.muted()).isPresent();
        if (!lives
                || !facts.leased(asker)
                || reachability.isHeardByFew(asker)
                || !reachability.pairs().contains(UnreachablePair.of(asker, command.other()))
                || !isNew(command.answers())) {
            return;
        }
        var answered = command.answers().drives();
        var rules = rules();
        var some = command.primaries().stream()
                .filter(one -> !reachability.wasCutOff(one.group(), one.slot()))
                .filter(one -> before.drives()
                        .find(one.drive())
                        .filter(entry -> entry.target().equals(asker))
                        .isPresent())
                .toList();
        change(
                some,
                rules,
                (group, one) -> (row, wanted) -> leads(rules, row, one)
                        ? rules.fill(group, rules.cutOff(group, row, command.other(), answered), wanted)
                        : row);
    }

    /// Who has answered the target of the drive that asks.
    private SortedMap<String, Integer> answered(Optional<Answers> answers, String asking) {
        return answers.filter(given -> drivesOf(given.target()).contains(asking))
                .map(Answers::drives)
                .orElse(Collections.emptySortedMap());
    }

    /// Whether the process that had these answers lives, as far as the log knows, and had them a moment ago.
    private boolean isNew(Answers answers) {
        return entry(answers.target())
                        .filter(entry -> entry.incarnation() == answers.incarnation())
                        .isPresent()
                && facts.reachability().hasJustBeaten(answers.target(), answers.incarnation(), answers.beat());
    }

    private static boolean leads(RowTransitions rules, SlotRow row, SlotDrive named) {
        var primary = row.primary();
        return primary.drive().equals(named.drive())
                && primary.incarnation() == named.incarnation()
                && rules.usable(primary.drive());
    }

    private void fenced(Fenced command) {
        boolean is = entry(command.target())
                .filter(entry -> entry.incarnation() == command.incarnation())
                .isPresent();
        if (is && state.version() == command.version()) {
            var drives = drivesOf(command.target());
            eachRow((rules, _) -> (row, _) -> NextRow.vouched(row, drives));
        }
    }

    private void forget(NodeId target, Optional<String> drive) {
        if (drive.isPresent()) {
            before.drives()
                    .find(drive.get())
                    .filter(entry -> entry.target().equals(target) && entry.out())
                    .ifPresent(_ -> draft.forget(drive.get()));
        } else {
            entry(target)
                    .filter(entry -> !entry.up() && drivesOf(target).stream().anyMatch(id -> !isForgotten(id)))
                    .ifPresent(entry -> {
                        draft.put(target, entry.forgotten(draft.newIncarnation()));
                        drivesOf(target).forEach(draft::forget);
                    });
        }
    }

    private boolean isForgotten(String drive) {
        return before.forgotten().contains(drive);
    }

    /// Slots with an heir first: what they are then, the rest looks at.
    private void giveAway(List<SlotDrive> heirs) {
        var forgotten = before.forgotten();
        var rules = rules();
        change(
                heirs.stream().filter(heir -> isHeir(rules, heir)).toList(),
                rules,
                (group, heir) -> (row, wanted) -> leaves(rules, group, row, wanted, Optional.of(heir.drive())));
        eachRow((every, group) -> (row, wanted) -> leaves(every, group, row, wanted, Optional.empty()));
        if (!forgotten.isEmpty()) {
            draft.removeForgotten();
        }
    }

    private boolean isHeir(RowTransitions rules, SlotDrive heir) {
        return rules.usable(heir.drive())
                && before.drives()
                        .find(heir.drive())
                        .filter(entry -> entry.incarnation() == heir.incarnation())
                        .isPresent();
    }

    private SlotRow leaves(RowTransitions rules, Group group, SlotRow row, Wanted wanted, Optional<String> heir) {
        var left = rules.withoutForgotten(group, row, heir);
        return left.equals(row) ? row : rules.fill(group, left, wanted);
    }

    private void fillAndVouch(Set<String> gone) {
        eachRow((rules, group) -> (row, wanted) -> NextRow.vouched(rules.fill(group, row, wanted), gone));
    }

    private Set<String> drivesOf(NodeId target) {
        return draft.drives().entrySet().stream()
                .filter(entry -> entry.getValue().target().equals(target))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// With the targets and drives as they are planned by now.
    private RowTransitions rules() {
        return new RowTransitions(draft, facts);
    }

    private void eachRow(BiFunction<RowTransitions, Group, RowMemo.Rule> rule) {
        if (before.groups().isEmpty()) {
            return;
        }
        var rules = rules();
        for (var group : before.groups().values()) {
            var memo = new RowMemo(rule.apply(rules, group), draft.interner());
            int size = before.table(group.id()).orElseThrow().size();
            for (int slot = 0; slot < size; slot++) {
                var members = draft.row(group.id(), slot).members();
                draft.change(group.id(), slot, rules.wanted(group, slot, members), memo);
            }
        }
    }

    private void opened(List<SlotEpoch> slots) {
        var memo = new RowMemo((row, _) -> opened(row), draft.interner());
        for (var slot : slots) {
            if (isNow(slot.group(), slot.slot(), slot.epoch())
                    && !isForgotten(
                            draft.row(slot.group(), slot.slot()).primary().drive())) {
                draft.change(slot.group(), slot.slot(), Wanted.NOTHING, memo);
            }
        }
    }

    private void change(List<SlotDrive> some, RowTransitions rules, BiFunction<Group, SlotDrive, RowMemo.Rule> rule) {
        var memos = new HashMap<SlotDrive, RowMemo>();
        for (var one : some) {
            if (isNow(one.group(), one.slot(), one.epoch())) {
                var group = Objects.requireNonNull(before.groups().get(one.group()));
                var member = new SlotDrive(one.group(), 0, 0, one.drive(), one.incarnation());
                var memo = memos.computeIfAbsent(member, _ -> new RowMemo(rule.apply(group, one), draft.interner()));
                var members = draft.row(one.group(), one.slot()).members();
                draft.change(one.group(), one.slot(), rules.wanted(group, one.slot(), members), memo);
            }
        }
    }

    private boolean isNow(int group, int slot, long epoch) {
        return draft.has(group, slot) && draft.row(group, slot).epoch() == epoch;
    }

    private static SlotRow opened(SlotRow row) {
        return new SlotRow(row.epoch(), row.members(), row.primarySince(), row.driveSince(), List.of(), true);
    }

    /// None where the primary that says so was forgotten.
    private Optional<Member> learner(SlotRow row, SlotDrive named) {
        return row.member(named.drive())
                .filter(_ -> !isForgotten(row.primary().drive()))
                .filter(member -> !member.inSync() && member.incarnation() == named.incarnation());
    }

    /// Whether the one who asks lives, as far as the log knows.
    private static boolean asks(RowTransitions rules, SlotRow row, SlotDrive named) {
        return row.member(named.drive())
                .filter(member ->
                        member.inSync() && member.incarnation() == named.incarnation() && rules.usable(member.drive()))
                .isPresent();
    }
}
