package dev.sluice.common.s3.listing;

/// Asks a source for the keys that begin with the prefix and are not less than `from`, ascending, at most `limit`; for
/// fewer only when there are no more.
///
/// @param delimiter of the keys that it folds into one common prefix the first is enough, or instead of it the common
///     prefix itself; none when empty
public record ListQuery(String prefix, String delimiter, String from, int limit) {}
