package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.ClusterState;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/// Which state the drives' loops were told last, and how they are told the next one. For one thread, besides the
/// look-ups.
///
/// **Order.** Look-ups show the next state first: a loop finds the open intents of its slots by them. A state counts as
/// told, and leases count promises for it, only when the loops have been handed all rows of it. After a failure no
/// lease counts, and the next state is handed out whole.
final class FollowedState {
    private final StandIns standIns;
    private final Proposer proposer;
    private volatile Optional<Applied> shown = Optional.empty();
    private Optional<ClusterState> told = Optional.empty();
    private boolean asked; // that members go

    FollowedState(StandIns standIns, Proposer proposer) {
        this.standIns = standIns;
        this.proposer = proposer;
    }

    /// The newest state, which the loops may not have been told yet. On any thread.
    Optional<Applied> shown() {
        return shown;
    }

    /// @param loops by drive
    /// @return whether it is to be looked at again soon
    boolean follow(ClusterState state, Map<String, DriveReplicas> loops, IntFunction<GroupSlots> slots) {
        var before = told;
        told = Optional.empty();
        shown = Optional.of(Applied.of(state));
        boolean whole = false;
        try {
            boolean again = tell(before, state, loops, slots);
            whole = true;
            told = Optional.of(state);
            return again;
        } finally {
            if (!whole) {
                loops.values().forEach(FollowedState::withdrawLease);
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
            IntFunction<GroupSlots> slots) {
        if (!state.replication().groups().isEmpty()) {
            state.replication().drives().prepare(); // not first when a target is gone
        }
        boolean same =
                before.filter(known -> known.version() == state.version()).isPresent();
        boolean again = standIns.follow(state) || (same && asked);
        boolean asksNow = new RowChanges(before, state, loops, standIns, proposer).post(slots, again);
        asked = asksNow || (!same && asked);
        return asked;
    }
}
