package dev.sluice.backend;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A part of a listing, in the order of UTF-8 bytes.
///
/// @param commonPrefixes keys rolled up at the delimiter, each once, each ending with it
/// @param next the `after` of the following page; empty on the last one
public record BackendPage(List<Entry> entries, List<String> commonPrefixes, Optional<String> next) {
    /// @param etag without quotes
    public record Entry(String key, long size, String etag, Instant lastModified) {}

    public BackendPage {
        entries = List.copyOf(entries);
        commonPrefixes = List.copyOf(commonPrefixes);
    }
}
