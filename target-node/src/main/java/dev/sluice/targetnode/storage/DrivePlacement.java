package dev.sluice.targetnode.storage;

/// Which drive of the target a key lives on: the same one as long as the set of drives is the same.
@FunctionalInterface
public interface DrivePlacement {
    /// @return a drive's id
    String driveOf(long bucketId, String key);
}
