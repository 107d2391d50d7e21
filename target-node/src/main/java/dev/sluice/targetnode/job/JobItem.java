package dev.sluice.targetnode.job;

import java.util.Optional;

/// An object that a job works on.
///
/// @param size 0 where it is not known
/// @param etag as it was listed, by the cloud or here, without quotes; empty where the object was not listed
record JobItem(String key, long size, Optional<String> etag) {}
