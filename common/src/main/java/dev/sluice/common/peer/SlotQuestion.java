package dev.sluice.common.peer;

import java.util.List;
import java.util.Set;

/// What a target's drives have of some slots.
///
/// @param hashes how many hashes each slot has
/// @param firsts the first hash of each slot
/// @param buckets ids of those that count
public record SlotQuestion(int hashes, List<Integer> firsts, Set<Long> buckets) {
    public SlotQuestion {
        firsts = List.copyOf(firsts);
        buckets = Set.copyOf(buckets);
    }
}
