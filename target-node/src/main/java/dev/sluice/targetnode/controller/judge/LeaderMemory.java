package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;

/// What a controller knows besides the log, of use while it leads: leases, drives that refused a write or are full, and
/// who hears whom.
public final class LeaderMemory implements PlanningFacts {
    private final Leases leases;
    private final ExcludedDrives refusals;
    private final FullDrives fullDrives = new FullDrives();
    private final MutedTargets muted;
    private final Group.Sizes slots;
    private boolean roomAgain; // on some drive, and no learner was added for that yet

    /// @param slots of a new group in a cluster of so many targets
    public LeaderMemory(NanoClock clock, Leases leases, Group.Sizes slots) {
        this.leases = leases;
        this.refusals = new ExcludedDrives(clock);
        this.muted = new MutedTargets(clock);
        this.slots = slots;
    }

    @Override
    public int slots(int targets, boolean coded) {
        return slots.slots(targets, coded);
    }

    @Override
    public boolean leased(NodeId target) {
        return leases.leased(target);
    }

    @Override
    public boolean avoids(int group, int slot, String drive) {
        return refusals.avoids(group, slot, drive);
    }

    @Override
    public MutedTargets reachability() {
        return muted;
    }

    @Override
    public boolean isFull(String drive) {
        return fullDrives.contains(drive);
    }

    public void follow(ClusterState state) {
        muted.follow(state);
    }

    public void beat(Heartbeat beat) {
        fullDrives.report(beat.target(), beat.incarnation(), beat.full());
        muted.beat(beat);
    }

    /// A command took effect.
    public void made(Command command, ClusterState before, ClusterState after) {
        if (command instanceof Command.TakeOff(var learners)) {
            refusals.add(learners, after);
        } else if (command instanceof Command.CutOff off) {
            refusals.add(muted.left(off, before.replication(), after.replication()), after);
        }
    }

    /// What heartbeats said of full drives counts from now on.
    public synchronized void followFullDrives(Replication now) {
        var again = fullDrives.follow(now);
        if (!again.isEmpty()) {
            refusals.keepLearners(again, now, fullDrives::contains);
            roomAgain = true;
        }
    }

    /// Whether drives may be chosen now that were not at the last call.
    public synchronized boolean mayChooseAgain(Replication now) {
        followFullDrives(now);
        boolean expired = refusals.expired(now, fullDrives::contains);
        boolean again = muted.someHearAgain() || expired || roomAgain;
        roomAgain = false;
        return again;
    }
}
