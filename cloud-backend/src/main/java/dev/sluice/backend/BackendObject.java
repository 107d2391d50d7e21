package dev.sluice.backend;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a cloud says about one object.
///
/// @param etag without quotes, as S3 clients should see it
/// @param version names these very bytes in [BackendRead#ifVersion] and [WriteCondition.IfVersion]: S3's ETag,
///     GCS's generation
/// @param headers the content headers kept with it (Content-Type, Content-Encoding …), canonical names
/// @param userMetadata names in lower case without the cloud's prefix
/// @param checksums over the whole object, in base64; never a composite of its parts' checksums
/// @param md5 in hex, where the cloud promises that it is the MD5 of the bytes
/// @param encryption the value of `x-amz-server-side-encryption`, where the cloud's answer to a write has it
public record BackendObject(
        String key,
        long size,
        String etag,
        String version,
        Instant lastModified,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Map<ChecksumAlgorithm, String> checksums,
        Optional<String> md5,
        Optional<String> encryption) {
    public BackendObject {
        if (size < 0) {
            throw new IllegalArgumentException("size " + size + " < 0");
        }
        headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
        userMetadata = Collections.unmodifiableSortedMap(new TreeMap<>(userMetadata));
        checksums = Map.copyOf(checksums);
    }
}
