package dev.sluice.common.cluster;

import dev.sluice.common.placement.Candidate;
import dev.sluice.common.placement.Rendezvous;
import java.util.List;

/// Slot → primary, an array look-up. Made once for each cluster map.
public final class Routing {
    private final List<Node> targets;
    private final int[] primaries;

    private Routing(List<Node> targets, int[] primaries) {
        this.targets = targets;
        this.primaries = primaries;
    }

    public static Routing of(ClusterMap map) {
        var targets = List.copyOf(map.targets());
        var candidates = targets.stream()
                .map(node -> new Candidate(node.id().value(), node.weight(), node.zone()))
                .toList();
        return new Routing(targets, Rendezvous.owners(candidates));
    }

    /// @throws IndexOutOfBoundsException when the map has no target; a published map always has one
    public Node primary(int slot) {
        return targets.get(primaries[slot]);
    }

    public List<Node> targets() {
        return targets;
    }
}
