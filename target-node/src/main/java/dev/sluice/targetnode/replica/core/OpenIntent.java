package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;

/// A prepared write: durable, and not visible yet.
///
/// @param delete whether it deletes the key; else it stores an object
public record OpenIntent(ObjectKey key, ObjectVersion version, boolean delete) {}
