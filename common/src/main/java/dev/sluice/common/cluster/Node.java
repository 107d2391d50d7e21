package dev.sluice.common.cluster;

import dev.sluice.common.name.NodeId;

/// A member of the cluster.
///
/// @param url where it listens, `http://host:port`
/// @param zone its failure domain, empty for none
/// @param weight its share of the slots, proportional to its drives' capacity when they were attached; 0 for a proxy
public record Node(NodeId id, Role role, String url, String zone, double weight) {}
