package dev.sluice.targetnode.storage;

import java.util.Map;

/// Makes the placement once the drives and their weights are known.
@FunctionalInterface
public interface DrivePlacements {
    /// @param weights of the drives by id
    DrivePlacement among(Map<String, Long> weights);
}
