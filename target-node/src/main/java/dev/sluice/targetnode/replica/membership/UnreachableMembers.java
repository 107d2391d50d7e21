package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Command.Answers;
import dev.sluice.common.cluster.Command.SlotCommand;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.replica.loop.AppliedState;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A target that this one does not hear, though the controllers do, keeps no member in slots whose primary is here:
/// writes would wait for it for ever. This one asks that such members leave; whether they do, the controllers decide.
///
/// From the request on, the primary's drive may have the only copy. So it is asked for only after something was written
/// to that drive, durably: who cannot write has lost what it had.
public final class UnreachableMembers {
    private static final Logger LOG = LoggerFactory.getLogger(UnreachableMembers.class);

    /// Later than the controllers' verdict on targets that most others do not hear.
    private static final Duration SILENT = Duration.ofSeconds(2);

    private final NodeId self;
    private final Pings pings;
    private final WritableDrives drives;
    private final Map<String, DriveReplicas> loops;
    private final Supplier<Optional<AppliedState>> applied;
    private final Proposer proposer;
    private final NanoClock clock;

    /// The targets that are up, and since when this one knows it.
    private final Map<NodeId, Up> up = new HashMap<>();

    private record Up(int incarnation, long since) {}

    /// Loops whose drives are just being written to.
    private final Set<DriveReplicas> writing = ConcurrentHashMap.newKeySet();

    public UnreachableMembers(
            NodeId self,
            Pings pings,
            WritableDrives drives,
            Map<String, DriveReplicas> loops,
            Supplier<Optional<AppliedState>> applied,
            Proposer proposer,
            NanoClock clock) {
        this.self = self;
        this.pings = pings;
        this.drives = drives;
        this.loops = loops;
        this.applied = applied;
        this.proposer = proposer;
        this.clock = clock;
    }

    /// Looks once. Waits for no drive. By one thread.
    public void look() {
        var known = applied.get().map(AppliedState::state);
        known.ifPresent(state -> follow(state.replication()));
        var heard = pings.heard(SILENT);
        var who = drives.none(); // before anything is written: a request is void a while after the beat that it names
        if (known.isPresent() && heard.isPresent() && who.isPresent()) {
            var silent = silent(known.get().replication(), heard.get());
            if (!silent.isEmpty()) {
                askToLeave(silent, known.get(), who.get());
            }
        }
    }

    private void follow(Replication replication) {
        long now = clock.nanos();
        replication.targets().forEach((target, entry) -> {
            if (!entry.up()) {
                up.remove(target);
            } else if (!Optional.ofNullable(up.get(target))
                    .filter(before -> before.incarnation == entry.incarnation())
                    .isPresent()) {
                up.put(target, new Up(entry.incarnation(), now));
            }
        });
    }

    /// One that has just come up has time to be heard.
    private Set<NodeId> silent(Replication replication, Set<NodeId> heard) {
        long now = clock.nanos();
        var silent = new HashSet<NodeId>();
        replication.targets().forEach((target, entry) -> {
            boolean hadTime = Optional.ofNullable(up.get(target))
                    .filter(known -> now - known.since > SILENT.toNanos())
                    .isPresent();
            if (hadTime && !target.equals(self) && !heard.contains(target)) {
                silent.add(target);
            }
        });
        return silent;
    }

    private void askToLeave(Set<NodeId> silent, ClusterState state, Answers who) {
        loops.values().stream().filter(DriveReplicas::leased).forEach(loop -> {
            var primaries = primaries(loop, silent, state.replication());
            if (!primaries.isEmpty() && writing.add(loop)) {
                var _ = loop.drive()
                        .startStep(() -> loop.drive().marks().markSound())
                        .whenComplete((_, failure) -> written(
                                loop, asked(primaries, state.replication(), who), Optional.ofNullable(failure)));
            }
        });
    }

    /// What it asks for, by target.
    private record Asked(Map<NodeId, List<SlotDrive>> primaries, Answers who, boolean coded) {}

    private static Asked asked(Map<NodeId, List<SlotDrive>> primaries, Replication replication, Answers who) {
        boolean coded = primaries.values().stream()
                .flatMap(List::stream)
                .anyMatch(slot ->
                        replication.group(slot.group()).filter(Group::coded).isPresent());
        return new Asked(primaries, who, coded);
    }

    /// On the drive's thread, or another one.
    private void written(DriveReplicas loop, Asked asked, Optional<Throwable> failure) {
        if (failure.isPresent()) {
            writing.remove(loop);
            LOG.warn(
                    "drive {} asks for nothing: it cannot write: {}",
                    loop.id(),
                    failure.get().getMessage());
            return;
        }
        if (asked.coded) {
            var _ = drives.ask().whenComplete((sure, _) -> {
                writing.remove(loop);
                sure.ifPresent(who -> propose(loop, asked.primaries, who));
            });
        } else {
            writing.remove(loop);
            propose(loop, asked.primaries, asked.who);
        }
    }

    private void propose(DriveReplicas loop, Map<NodeId, List<SlotDrive>> primaries, Answers who) {
        primaries.forEach((target, slots) -> {
            LOG.warn("{} is not heard: its members are to leave {} slots of drive {}", target, slots.size(), loop.id());
            for (int from = 0; from < slots.size(); from += SlotCommand.MOST_SLOTS) {
                var some = slots.subList(from, Math.min(slots.size(), from + SlotCommand.MOST_SLOTS));
                proposer.add(new Command.CutOff(who, target, List.copyOf(some)));
            }
        });
    }

    /// The slots of which this drive is the primary and a silent target has a member.
    private static Map<NodeId, List<SlotDrive>> primaries(
            DriveReplicas loop, Set<NodeId> silent, Replication replication) {
        var primaries = new HashMap<NodeId, List<SlotDrive>>();
        var owners = new HashMap<String, NodeId>();
        replication.drives().entries().forEach((drive, entry) -> {
            if (silent.contains(entry.target())) {
                owners.put(drive, entry.target());
            }
        });
        replication.tables().forEach((group, table) -> {
            for (int slot = 0; slot < table.size(); slot++) {
                var row = table.row(slot);
                var primary = row.primary();
                if (!primary.drive().equals(loop.id()) || primary.incarnation() != loop.incarnation()) {
                    continue;
                }
                for (var member : row.members()) {
                    var owner = owners.get(member.drive());
                    if (owner != null) {
                        primaries
                                .computeIfAbsent(owner, _ -> new ArrayList<>())
                                .add(new SlotDrive(group, slot, row.epoch(), loop.id(), loop.incarnation()));
                    }
                }
            }
        });
        return primaries;
    }
}
