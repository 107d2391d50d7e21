package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.planning.DesiredReplicas;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// Tells learners that belong where they are from those that stand in for a target that is down. A target that restarts
/// is back soon, so stand-ins copy nothing for a while. For one thread.
public final class TemporaryLearners {
    static final Duration REBUILD_DELAY = Duration.ofMinutes(5);

    private final LongSupplier clock;
    private final Map<NodeId, Long> downSince = new HashMap<>();
    private Set<NodeId> expected = Set.of();
    private Optional<DesiredReplicas> ifAllWereUp = Optional.empty();

    /// @param clock in nanoseconds
    public TemporaryLearners(LongSupplier clock) {
        this.clock = clock;
    }

    /// @return whether other targets are expected back than before: what was a stand-in may be none any more
    public boolean follow(ClusterState state) {
        long now = clock.getAsLong();
        var targets = state.replication().targets();
        downSince
                .keySet()
                .removeIf(id -> !targets.containsKey(id) || targets.get(id).up());
        targets.forEach((id, entry) -> {
            if (!entry.up()) {
                downSince.putIfAbsent(id, now);
            }
        });
        var before = expected;
        expected = downSince.entrySet().stream()
                .filter(down -> now - down.getValue() < REBUILD_DELAY.toNanos())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        ifAllWereUp = expected.isEmpty() ? Optional.empty() : Optional.of(goals(state));
        return !expected.containsAll(before);
    }

    /// Those of targets that are down for longer do not count.
    private DesiredReplicas goals(ClusterState state) {
        var replication = state.replication();
        return DesiredReplicas.of(
                replication,
                state.map(),
                drive -> replication
                        .drives()
                        .find(drive)
                        .filter(entry -> !entry.out())
                        .filter(entry -> replication
                                        .target(entry.target())
                                        .filter(TargetEntry::up)
                                        .isPresent()
                                || expected.contains(entry.target()))
                        .isPresent());
    }

    public boolean isStandIn(Group group, int slot, String learner) {
        return ifAllWereUp
                .filter(goals -> !goals.of(group.firstHash(slot), group.replicas(), _ -> false)
                        .contains(learner))
                .isPresent();
    }
}
