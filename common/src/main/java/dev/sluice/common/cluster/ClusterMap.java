package dev.sluice.common.cluster;

import dev.sluice.common.name.NodeId;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// Who is in the cluster. Never modified: a change of membership is a new map with the next version.
public record ClusterMap(long version, SortedMap<NodeId, Node> nodes) {
    public static final ClusterMap EMPTY = new ClusterMap(0, new TreeMap<>());

    public ClusterMap {
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
    }

    public ClusterMap with(Node node) {
        var next = new TreeMap<>(nodes);
        next.put(node.id(), node);
        return new ClusterMap(version + 1, next);
    }

    /// The targets in the order of their ids.
    public Collection<Node> targets() {
        return nodes.values().stream()
                .filter(node -> node.role() == Role.TARGET)
                .toList();
    }
}
