package dev.sluice.common.s3.listing;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.time.Instant;
import java.util.Map;

/// What ListParts says about one part.
///
/// @param etag without quotes
/// @param checksums in base64
public record ListedPart(
        int partNumber, long size, String etag, Instant lastModified, Map<ChecksumAlgorithm, String> checksums) {}
