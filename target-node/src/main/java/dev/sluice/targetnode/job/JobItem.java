package dev.sluice.targetnode.job;

import java.util.Optional;

/// An object that a job works on.
///
/// @param size 0 where it is not known
/// @param etag as the cloud listed it, without quotes; empty where the object was not listed
record JobItem(String key, long size, Optional<String> etag) {
    static JobItem named(String key) {
        return new JobItem(key, 0, Optional.empty());
    }
}
