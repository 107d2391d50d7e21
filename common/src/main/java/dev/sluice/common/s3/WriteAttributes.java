package dev.sluice.common.s3;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/// What a client says about the bytes it is writing.
///
/// @param headers the content headers to keep and give back verbatim (Content-Type, Content-Encoding without
///     `aws-chunked`, Content-Disposition, Content-Language, Cache-Control, Expires), canonical names; and
///     `x-amz-tagging`, where there are tags
/// @param userMetadata `x-amz-meta-*`, names in lower case without the prefix
/// @param contentMd5 the MD5 in hex that the client promises
/// @param checksums the checksums in base64 that the client promises in headers
/// @param declared the algorithm named by x-amz-sdk-checksum-algorithm, x-amz-checksum-algorithm or x-amz-trailer
/// @param encrypted whether they are to be encrypted at rest: x-amz-server-side-encryption is AES256
public record WriteAttributes(
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Optional<String> contentMd5,
        Map<ChecksumAlgorithm, String> checksums,
        Optional<ChecksumAlgorithm> declared,
        boolean encrypted) {
    public WriteAttributes(
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            Optional<String> contentMd5,
            Map<ChecksumAlgorithm, String> checksums,
            Optional<ChecksumAlgorithm> declared) {
        this(headers, userMetadata, contentMd5, checksums, declared, false);
    }
}
