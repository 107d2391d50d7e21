package dev.sluice.common.cluster.planning;

import dev.sluice.common.name.NodeId;

/// Two targets that do not hear each other, the lower id first.
public record UnreachablePair(NodeId one, NodeId other) {
    public static UnreachablePair of(NodeId one, NodeId other) {
        return one.compareTo(other) < 0 ? new UnreachablePair(one, other) : new UnreachablePair(other, one);
    }

    public boolean has(NodeId target) {
        return one.equals(target) || other.equals(target);
    }
}
