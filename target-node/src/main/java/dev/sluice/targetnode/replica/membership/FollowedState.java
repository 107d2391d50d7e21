package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.targetnode.replica.loop.AppliedState;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.SlotPages;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Which state the drives' loops were told last, and how they are told the next one. For one thread, besides
/// the look-ups.
///
/// **Order.** Look-ups show the next state first: a loop finds the open intents of its slots by them. A state counts as
/// told, and leases count promises for it, only when the loops have been handed all rows of it. After a failure no
/// lease counts, and the next state is handed out whole. So is the first state that a loop is told.
public final class FollowedState implements SlotPages.Groups {
    private final TemporaryLearners learners;
    private final Proposer proposer;
    private volatile Optional<AppliedState> shown = Optional.empty();
    private Optional<ClusterState> told = Optional.empty();
    private Set<DriveReplicas> toldTo = Set.of();
    private boolean asked; // that members go

    public FollowedState(TemporaryLearners learners, Proposer proposer) {
        this.learners = learners;
        this.proposer = proposer;
    }

    /// The newest state, which the loops may not have been told yet. On any thread.
    public Optional<AppliedState> shown() {
        return shown;
    }

    @Override
    public Optional<Group> of(long bucketId) {
        return shown.flatMap(known -> known.groupOf(bucketId));
    }

    @Override
    public Optional<Group> withId(int id) {
        return shown.flatMap(known -> known.state().replication().group(id));
    }

    /// @param drives the loops by drive. It is asked when look-ups show the state, and may begin some
    /// @return whether it is to be looked at again soon
    public boolean follow(
            ClusterState state,
            Function<Replication, Map<String, DriveReplicas>> drives,
            Function<Group, GroupSlots> slots) {
        var before = told;
        told = Optional.empty();
        shown = Optional.of(AppliedState.of(state));
        Map<String, DriveReplicas> loops = Map.of();
        boolean whole = false;
        try {
            loops = Map.copyOf(drives.apply(state.replication()));
            boolean again = tell(before, state, loops, slots);
            whole = true;
            told = Optional.of(state);
            toldTo = Set.copyOf(loops.values());
            return again;
        } finally {
            if (!whole) {
                loops.values().forEach(FollowedState::withdrawLease);
                toldTo.forEach(FollowedState::withdrawLease);
            }
        }
    }

    /// Now, and after what the loop was told before.
    private static void withdrawLease(DriveReplicas loop) {
        loop.lease().withdraw();
        loop.run(() -> loop.lease().withdraw());
    }

    private boolean tell(
            Optional<ClusterState> before,
            ClusterState state,
            Map<String, DriveReplicas> loops,
            Function<Group, GroupSlots> slots) {
        if (!state.replication().groups().isEmpty()) {
            state.replication().drives().prepare(); // not first when a target is gone
        }
        boolean same =
                before.filter(known -> known.version() == state.version()).isPresent();
        boolean again = learners.follow(state) || (same && asked);
        var known = new HashMap<>(loops);
        known.values().retainAll(before.isPresent() ? toldTo : loops.values());
        var others = new HashMap<>(loops);
        others.keySet().removeAll(known.keySet());
        boolean asksNow = new RowChanges(before, state, known, learners, proposer).post(slots, again);
        if (!others.isEmpty()) {
            asksNow |= new RowChanges(Optional.empty(), state, others, learners, proposer).post(slots, false);
        }
        asked = asksNow || (!same && asked);
        return asked;
    }
}
