package dev.sluice.common.s3.listing;

/// Asks a source for the uploads whose keys begin with the prefix, by key and then by id, at most `limit`; for fewer
/// only when there are no more.
///
/// @param keyMarker keys greater than it are wanted, and of that very key the uploads with a greater id than `idMarker`
///     when that is given
public record UploadsQuery(String prefix, String keyMarker, String idMarker, int limit) {}
