package dev.sluice.common.cluster.planning;

import dev.sluice.common.name.NodeId;

/// Two targets that do not hear each other, the lower id first.
public record CutPair(NodeId one, NodeId other) {
    public static CutPair of(NodeId one, NodeId other) {
        return one.compareTo(other) < 0 ? new CutPair(one, other) : new CutPair(other, one);
    }

    public boolean has(NodeId target) {
        return one.equals(target) || other.equals(target);
    }
}
