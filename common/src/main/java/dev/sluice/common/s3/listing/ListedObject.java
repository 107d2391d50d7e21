package dev.sluice.common.s3.listing;

import java.time.Instant;

/// What a listing says about one object.
///
/// @param etag without quotes
public record ListedObject(String key, long size, String etag, Instant lastModified) {}
