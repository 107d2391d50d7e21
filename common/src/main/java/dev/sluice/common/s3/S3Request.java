package dev.sluice.common.s3;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.name.ObjectName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/// An S3 request after parsing of its head, one record per action we serve, named as Amazon names them. A switch over
/// it is the route table. Bodies (XML or object bytes) are read later, by the handler.
public sealed interface S3Request {
    /// Needs no bucket.
    ///
    /// @param prefix of the names
    /// @param after names greater than it are listed; from the continuation token
    /// @param maxBuckets 1 to 10,000
    /// @param region only buckets of this one
    record ListBuckets(String prefix, String after, int maxBuckets, Optional<String> region) implements S3Request {}

    /// Concerns one bucket.
    sealed interface OnBucket extends S3Request {
        String bucket();
    }

    record CreateBucket(String bucket) implements OnBucket {}

    record HeadBucket(String bucket) implements OnBucket {}

    record DeleteBucket(String bucket) implements OnBucket {}

    record GetBucketLocation(String bucket) implements OnBucket {}

    record GetBucketVersioning(String bucket) implements OnBucket {}

    /// What is not configured.
    ///
    /// @param id of one configuration where there may be several
    record GetBucketSetting(String bucket, BucketSetting setting, Optional<String> id) implements OnBucket {}

    /// Accepted when it says what is so anyway.
    record PutBucketAcl(String bucket) implements OnBucket {}

    record GetBucketDocument(String bucket, BucketDocument document) implements OnBucket {}

    /// Its body is the document.
    record PutBucketDocument(
            String bucket,
            BucketDocument document,
            Map<ChecksumAlgorithm, String> checksums,
            Optional<String> contentMd5)
            implements OnBucket {}

    record DeleteBucketDocument(String bucket, BucketDocument document) implements OnBucket {}

    /// V1 and V2 of ListObjects.
    ///
    /// @param after V2: the continuation token (decoded) or start-after; V1: the marker; keys greater
    ///     than it are listed
    /// @param encodeKeys encoding-type=url
    record ListObjects(
            String bucket,
            boolean v2,
            String prefix,
            String delimiter,
            String after,
            Optional<String> startAfter,
            Optional<String> continuationToken,
            int maxKeys,
            boolean encodeKeys,
            boolean fetchOwner)
            implements OnBucket {}

    /// Each object once: no bucket has versions.
    ///
    /// @param after the key-marker; keys greater than it are listed
    record ListObjectVersions(
            String bucket, String prefix, String delimiter, String after, int maxKeys, boolean encodeKeys)
            implements OnBucket {
        public ListObjects objects() {
            return new ListObjects(
                    bucket,
                    false,
                    prefix,
                    delimiter,
                    after,
                    Optional.empty(),
                    Optional.empty(),
                    maxKeys,
                    encodeKeys,
                    true);
        }
    }

    record ListMultipartUploads(
            String bucket,
            String prefix,
            String delimiter,
            String keyMarker,
            String uploadIdMarker,
            int maxUploads,
            boolean encodeKeys)
            implements OnBucket {}

    /// Its body names the keys.
    record DeleteObjects(String bucket, Map<ChecksumAlgorithm, String> checksums, Optional<String> contentMd5)
            implements OnBucket {}

    /// Concerns one object, and so goes to one target.
    sealed interface OnObject extends S3Request {
        ObjectName name();
    }

    /// @param overrides response-content-type and its kin: canonical header name → value
    /// @param member the range is one of its bytes then
    record GetObject(
            ObjectName name,
            Optional<ByteRange> range,
            Conditions conditions,
            Optional<Integer> partNumber,
            boolean checksumMode,
            SortedMap<String, String> overrides,
            Optional<ShardMember> member)
            implements OnObject {}

    record HeadObject(
            ObjectName name,
            Optional<ByteRange> range,
            Conditions conditions,
            Optional<Integer> partNumber,
            boolean checksumMode,
            SortedMap<String, String> overrides)
            implements OnObject {}

    record GetObjectAcl(ObjectName name) implements OnObject {}

    /// Accepted when it says what is so anyway.
    record PutObjectAcl(ObjectName name) implements OnObject {}

    record GetObjectTagging(ObjectName name) implements OnObject {}

    /// @param partNumberMarker parts with a greater number are listed
    record GetObjectAttributes(ObjectName name, Set<ObjectAttribute> attributes, int partNumberMarker, int maxParts)
            implements OnObject {}

    record PutObject(ObjectName name, WriteAttributes attributes, Conditions conditions) implements OnObject {}

    /// @param replaceMetadata x-amz-metadata-directive: REPLACE, then `attributes` holds the new ones
    /// @param replaceTags x-amz-tagging-directive: REPLACE, likewise
    /// @param sourceConditions x-amz-copy-source-if-*
    record CopyObject(
            ObjectName name,
            ObjectName source,
            boolean replaceMetadata,
            boolean replaceTags,
            WriteAttributes attributes,
            Conditions conditions,
            Conditions sourceConditions)
            implements OnObject {}

    record DeleteObject(ObjectName name, DeleteConditions conditions) implements OnObject {}

    record CreateMultipartUpload(ObjectName name, WriteAttributes attributes, boolean fullObjectChecksum)
            implements OnObject {}

    record UploadPart(ObjectName name, String uploadId, int partNumber, WriteAttributes attributes)
            implements OnObject {}

    record UploadPartCopy(
            ObjectName name,
            String uploadId,
            int partNumber,
            ObjectName source,
            Optional<ByteRange> sourceRange,
            Conditions sourceConditions)
            implements OnObject {}

    record ListParts(ObjectName name, String uploadId, int partNumberMarker, int maxParts) implements OnObject {}

    /// Its body names the parts.
    ///
    /// @param checksums of the whole object, in base64; composite ones end in `-<number of parts>`
    /// @param fullObjectChecksum x-amz-checksum-type: FULL_OBJECT
    /// @param objectSize x-amz-mp-object-size: the parts together must have exactly this many bytes
    record CompleteMultipartUpload(
            ObjectName name,
            String uploadId,
            Map<ChecksumAlgorithm, String> checksums,
            Optional<Boolean> fullObjectChecksum,
            Conditions conditions,
            Optional<Long> objectSize)
            implements OnObject {
        public CompleteMultipartUpload(
                ObjectName name, String uploadId, Map<ChecksumAlgorithm, String> checksums, Conditions conditions) {
            this(name, uploadId, checksums, Optional.empty(), conditions, Optional.empty());
        }
    }

    record AbortMultipartUpload(ObjectName name, String uploadId) implements OnObject {}

    /// One entry of CompleteMultipartUpload's body.
    ///
    /// @param etag without quotes
    record CompletedPart(int partNumber, String etag, Map<ChecksumAlgorithm, String> checksums) {}

    /// DeleteObjects' body.
    record DeleteList(List<Deletion> deletions, boolean quiet) {}

    record Deletion(String key, DeleteConditions conditions) {}
}
