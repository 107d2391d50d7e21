package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.planning.ReachabilityView;
import dev.sluice.common.cluster.planning.UnreachablePair;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Targets that this controller hears and that do not hear each other, and what it does about them. It remembers this,
/// the log does not.
public final class MutedTargets implements ReachabilityView {
    private static final Logger LOG = LoggerFactory.getLogger(MutedTargets.class);

    private final Reachability reachability;
    private final RecentExpulsions cutOffs;

    /// The judge's own.
    private long fencedVersion = -1;
    private Set<NodeId> fenced = Set.of();

    MutedTargets(NanoClock clock) {
        reachability = new Reachability(clock);
        cutOffs = new RecentExpulsions(clock);
    }

    void follow(ClusterState state) {
        reachability.follow(state.replication().targets());
    }

    void beat(Heartbeat beat) {
        reachability.beat(beat);
    }

    @Override
    public Set<UnreachablePair> pairs() {
        return reachability.pairs();
    }

    @Override
    public boolean isHeardByFew(NodeId target) {
        return reachability.isHeardByFew(target);
    }

    @Override
    public boolean hasJustBeaten(NodeId target, int incarnation, long beat) {
        return reachability.hasJustBeaten(target, incarnation, beat);
    }

    @Override
    public boolean wasCutOff(int group, int slot) {
        return cutOffs.has(group, slot);
    }

    /// Whether a pair hears each other that did not at the last call: drives may be chosen again.
    boolean someHearAgain() {
        return reachability.someHearAgain();
    }

    /// A command took effect.
    ///
    /// @return the members that left
    List<SlotDrive> left(Command.CutOff command, Replication before, Replication after) {
        var left = cutOffs.add(command, before, after);
        LOG.warn(
                "{} cannot reach {}: removed it from {} slots",
                command.answers().target(),
                command.other(),
                left.size());
        return left;
    }

    /// What is due: who is heard by too few is muted, one after the other; who hears and is heard again is not; and
    /// nobody has to ask a target whom it does not hear, when that one has applied everything.
    ///
    /// @param apply applies a command, and returns the state after it
    public void judge(ClusterState now, Function<Command, ClusterState> apply) {
        var known = now.replication();
        reachability.toMute().stream().limit(1).forEach(target -> {
            var command = new Command.Mute(target, version(known, target), known.muted());
            if (apply.apply(command).replication().muted().contains(target)) {
                LOG.warn(
                        "{} is muted: most other targets do not hear it, though this controller does. It serves nothing"
                                + " until half of them do; look at the network between them",
                        target);
            }
        });
        reachability.toUnmute().forEach(target -> {
            var command = new Command.Unmute(target, version(known, target));
            if (!apply.apply(command).replication().muted().contains(target)) {
                LOG.info("{} hears half of the other targets again", target);
            }
        });
        for (var pair : reachability.pairs()) {
            for (var target : List.of(pair.one(), pair.other())) {
                if (reachability.applied(target) == now.version() && fenced(now).contains(target)) {
                    var _ = apply.apply(new Command.Fenced(target, known.incarnation(target), now.version()));
                }
            }
        }
    }

    private static long version(Replication known, NodeId target) {
        return known.target(target).map(TargetEntry::version).orElse(0L);
    }

    /// The targets that somebody has to ask. All rows are looked at once for each version.
    private Set<NodeId> fenced(ClusterState now) {
        if (now.version() != fencedVersion) {
            var drives = new HashSet<String>();
            for (var table : now.replication().tables().values()) {
                for (int slot = 0; slot < table.size(); slot++) {
                    drives.addAll(table.row(slot).fence());
                }
            }
            var targets = new HashSet<NodeId>();
            drives.forEach(
                    drive -> now.replication().drives().find(drive).ifPresent(entry -> targets.add(entry.target())));
            fencedVersion = now.version();
            fenced = targets;
        }
        return fenced;
    }
}
