package dev.sluice.targetnode.storage;

/// An object in a listing.
public record ListEntry(String key, long size, String etag, long modifiedMillis) {}
