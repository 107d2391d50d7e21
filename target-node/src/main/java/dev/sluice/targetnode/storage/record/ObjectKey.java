package dev.sluice.targetnode.storage.record;

/// One object of one bucket, by the bucket's id.
public record ObjectKey(long bucketId, String key) {}
