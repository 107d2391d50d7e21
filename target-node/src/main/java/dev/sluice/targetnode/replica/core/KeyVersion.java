package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;

/// Which version of a key a replica has committed.
public record KeyVersion(ObjectKey key, ObjectVersion version) {}
