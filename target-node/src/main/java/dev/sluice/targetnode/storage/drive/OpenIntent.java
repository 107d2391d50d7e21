package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.record.ObjectVersion;

/// A prepared write that is neither committed nor aborted: durable, and not visible. A key has one at most.
public record OpenIntent(long bucketId, String key, ObjectVersion version, boolean deletion) {}
