package dev.sluice.cli.api;

import dev.sluice.common.cluster.slots.SlotCounts;
import java.util.List;

/// What one node knows of the whole cluster.
///
/// @param slots of the replicated buckets
/// @param muted ids of targets that most other targets do not hear
public record ClusterHealth(SlotCounts slots, List<String> muted) {}
