package dev.sluice.common.cluster;

import dev.sluice.common.placement.Candidate;
import dev.sluice.common.placement.Rendezvous;
import java.util.Comparator;
import java.util.List;

/// Slot → primary, an array look-up. Made once for each cluster map.
public final class Routing {
    private final List<Node> targets;
    private final List<Candidate> candidates;
    private final int[] primaries;

    private Routing(List<Node> targets, List<Candidate> candidates) {
        this.targets = targets;
        this.candidates = candidates;
        this.primaries = Rendezvous.owners(candidates);
    }

    public static Routing of(ClusterMap map) {
        var targets = List.copyOf(map.targets());
        var candidates = targets.stream()
                .map(node -> new Candidate(node.id().value(), node.weight(), node.zone()))
                .toList();
        return new Routing(targets, candidates);
    }

    /// @throws IndexOutOfBoundsException when the map has no target; a published map always has one
    public Node primary(int slot) {
        return targets.get(primaries[slot]);
    }

    /// All targets, a slot's primary first. Costs a hash and a logarithm for each.
    public List<Node> ranking(int slot) {
        var ranked = Rendezvous.rank(slot, candidates).stream()
                .map(candidate -> candidate.id())
                .toList();
        return targets.stream()
                .sorted(Comparator.comparingInt(
                        target -> ranked.indexOf(target.id().value())))
                .toList();
    }

    public List<Node> targets() {
        return targets;
    }
}
