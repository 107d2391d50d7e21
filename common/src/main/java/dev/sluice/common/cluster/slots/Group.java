package dev.sluice.common.cluster.slots;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Durability;

/// The replicated buckets with the same properties. They share a table of slots.
///
/// @param id from 1; never used again
/// @param replicas how many targets keep each slot
/// @param durability what an acknowledged write survives
public record Group(int id, int replicas, Durability durability) {
    public Group {
        if (id < 1 || replicas < 2 || replicas > BucketProperties.MAX_REPLICAS) {
            throw new IllegalArgumentException("group " + id + " with " + replicas + " replicas");
        }
    }
}
