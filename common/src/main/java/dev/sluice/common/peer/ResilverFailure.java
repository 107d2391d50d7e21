package dev.sluice.common.peer;

/// An object that could not be brought to where it belongs. It is tried again.
///
/// @param bucket its name
/// @param failedMillis since 1970
public record ResilverFailure(String bucket, String key, String why, long failedMillis) {}
