package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Everything known of one object but its bytes. Stored with the file; the source of truth.
///
/// @param etag without quotes: an MD5 in hex, `MD5-N` of a multipart upload, or a backend's
/// @param checksums S3's algorithms, values in base64
/// @param headers content headers to give back verbatim
/// @param parts of an object that a multipart upload made
/// @param backendVersion ETag or generation of the cloud object that this was filled from or written through to
public record ObjectRecord(
        long bucketId,
        String key,
        ObjectVersion version,
        long size,
        long createdMillis,
        long modifiedMillis,
        String etag,
        Map<ChecksumAlgorithm, String> checksums,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Optional<FromParts> parts,
        Optional<String> backendVersion,
        BlockSums blocks) {
    public ObjectRecord {
        if (blocks.count() != BlockSums.blocksOf(size)) {
            throw new IllegalArgumentException(blocks + " for " + size + " bytes");
        }
        checksums = Map.copyOf(checksums);
        headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
        userMetadata = Collections.unmodifiableSortedMap(new TreeMap<>(userMetadata));
    }
}
