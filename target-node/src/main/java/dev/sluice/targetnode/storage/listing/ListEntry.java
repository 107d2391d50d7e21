package dev.sluice.targetnode.storage.listing;

import dev.sluice.targetnode.storage.record.ObjectVersion;

/// An object in a listing.
public record ListEntry(String key, ObjectVersion version, long size, String etag, long modifiedMillis) {}
