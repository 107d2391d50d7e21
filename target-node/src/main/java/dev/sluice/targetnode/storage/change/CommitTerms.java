package dev.sluice.targetnode.storage.change;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What becomes of the record of an object whose bytes are written.
///
/// @param etag without quotes
/// @param modifiedMillis empty for now
public record CommitTerms(
        String etag,
        Map<ChecksumAlgorithm, String> checksums,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Optional<String> backendVersion,
        Optional<Long> modifiedMillis,
        WriteCheck check) {
    /// Nothing but an ETag.
    public static CommitTerms of(String etag) {
        return new CommitTerms(
                etag, Map.of(), new TreeMap<>(), new TreeMap<>(), Optional.empty(), Optional.empty(), WriteCheck.NONE);
    }
}
