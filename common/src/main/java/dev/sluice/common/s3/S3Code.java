package dev.sluice.common.s3;

import java.util.List;

/// Every code with which a request is refused: its HTTP status, and what the error document says besides, as S3 does.
public enum S3Code {
    NOT_MODIFIED(304, "NotModified"),

    ACL_NOT_SUPPORTED(400, "AccessControlListNotSupported"),
    AUTHORIZATION_HEADER_MALFORMED(400, "AuthorizationHeaderMalformed", "Region"),
    AUTHORIZATION_QUERY_PARAMETERS_ERROR(400, "AuthorizationQueryParametersError", "Region"),
    BAD_DIGEST(400, "BadDigest", "ExpectedDigest", "CalculatedDigest"),
    ENTITY_TOO_LARGE(400, "EntityTooLarge", "ProposedSize", "MaxSizeAllowed"),
    ENTITY_TOO_SMALL(400, "EntityTooSmall", "ProposedSize", "MinSizeAllowed", "PartNumber", "ETag"),
    INCOMPLETE_BODY(400, "IncompleteBody"),
    INVALID_ARGUMENT(400, "InvalidArgument", "ArgumentName", "ArgumentValue"),
    INVALID_BUCKET_ACL(400, "InvalidBucketAclWithObjectOwnership"),
    INVALID_BUCKET_NAME(400, "InvalidBucketName", "BucketName"),
    INVALID_CHUNK_SIZE(400, "InvalidChunkSizeError"),
    INVALID_DIGEST(400, "InvalidDigest", "Content-MD5"),
    INVALID_LOCATION_CONSTRAINT(400, "InvalidLocationConstraint", "LocationConstraint"),
    INVALID_PART(400, "InvalidPart", "PartNumber"),
    INVALID_PART_ORDER(400, "InvalidPartOrder"),
    INVALID_REQUEST(400, "InvalidRequest"),
    INVALID_URI(400, "InvalidURI"),
    BAD_REQUEST(400, "BadRequest"),
    INVALID_TAG(400, "InvalidTag", "TagKey", "TagValue"),
    KEY_TOO_LONG(400, "KeyTooLongError", "Size", "MaxSizeAllowed"),
    MALFORMED_POLICY(400, "MalformedPolicy"),
    MALFORMED_TRAILER(400, "MalformedTrailerError"),
    MALFORMED_XML(400, "MalformedXML"),
    MAX_MESSAGE_LENGTH_EXCEEDED(400, "MaxMessageLengthExceeded", "MaxMessageLengthBytes"),
    /// S3 knows no samples, so it has no codes for them.
    NO_WHOLE_TAR(400, "NoWholeTar"),
    METADATA_TOO_LARGE(400, "MetadataTooLarge", "Size", "MaxSizeAllowed"),
    SHA256_MISMATCH(400, "XAmzContentSHA256Mismatch", "ClientComputedContentSHA256", "S3ComputedContentSHA256"),

    ACCESS_DENIED(403, "AccessDenied"),
    INVALID_ACCESS_KEY_ID(403, "InvalidAccessKeyId", "AWSAccessKeyId"),
    REQUEST_TIME_TOO_SKEWED(403, "RequestTimeTooSkewed", "RequestTime", "ServerTime", "MaxAllowedSkewMilliseconds"),
    SIGNATURE_DOES_NOT_MATCH(
            403,
            "SignatureDoesNotMatch",
            "AWSAccessKeyId",
            "StringToSign",
            "SignatureProvided",
            "StringToSignBytes",
            "CanonicalRequest",
            "CanonicalRequestBytes"),

    NO_SUCH_BUCKET(404, "NoSuchBucket", "BucketName"),
    NO_SUCH_BUCKET_POLICY(404, "NoSuchBucketPolicy", "BucketName"),
    NO_SUCH_CONFIGURATION(404, "NoSuchConfiguration", "BucketName"),
    NO_SUCH_CORS(404, "NoSuchCORSConfiguration", "BucketName"),
    NO_SUCH_ENCRYPTION(404, "ServerSideEncryptionConfigurationNotFoundError", "BucketName"),
    NO_SUCH_KEY(404, "NoSuchKey", "Key"),
    NO_SUCH_LIFECYCLE(404, "NoSuchLifecycleConfiguration", "BucketName"),
    NO_SUCH_OBJECT_LOCK(404, "ObjectLockConfigurationNotFoundError", "BucketName"),
    NO_SUCH_PUBLIC_ACCESS_BLOCK(404, "NoSuchPublicAccessBlockConfiguration", "BucketName"),
    NO_SUCH_REPLICATION(404, "ReplicationConfigurationNotFoundError", "BucketName"),
    NO_SUCH_TAG_SET(404, "NoSuchTagSet", "BucketName"),
    NO_SUCH_UPLOAD(404, "NoSuchUpload", "UploadId"),
    NO_SUCH_VERSION(404, "NoSuchVersion", "VersionId"),
    NO_SUCH_WEBSITE(404, "NoSuchWebsiteConfiguration", "BucketName"),

    METHOD_NOT_ALLOWED(405, "MethodNotAllowed", "Method"),
    BUCKET_ALREADY_OWNED(409, "BucketAlreadyOwnedByYou", "BucketName"),
    BUCKET_NOT_EMPTY(409, "BucketNotEmpty", "BucketName"),
    OPERATION_ABORTED(409, "OperationAborted"),
    MISSING_CONTENT_LENGTH(411, "MissingContentLength"),
    PRECONDITION_FAILED(412, "PreconditionFailed", "Condition"),
    INVALID_PART_NUMBER(416, "InvalidPartNumber", "PartNumberRequested", "ActualPartCount"),
    INVALID_RANGE(416, "InvalidRange", "ActualObjectSize", "RangeRequested"),
    NO_SUCH_SAMPLE(416, "NoSuchSample", "SampleRequested", "ActualSampleCount"),
    SAMPLE_TOO_LARGE(422, "SampleTooLarge"),

    INTERNAL_ERROR(500, "InternalError"),
    NOT_IMPLEMENTED(501, "NotImplemented", "Header"),
    SERVICE_UNAVAILABLE(503, "ServiceUnavailable"),
    /// S3 has no code for a full drive; 507 is what SDKs do not retry at once.
    INSUFFICIENT_STORAGE(507, "InsufficientStorage"),
    QUOTA_EXCEEDED(507, "QuotaExceeded"),

    /// Of the native API.
    NO_SUCH_JOB(404, "NoSuchJob"),
    NO_SUCH_NODE(404, "NoSuchNode"),
    NOTHING_MATCHES(404, "NothingMatches");

    private final int status;
    private final String code;
    private final List<String> elements;

    S3Code(int status, String code, String... elements) {
        this.status = status;
        this.code = code;
        this.elements = List.of(elements);
    }

    /// @param values of the elements, in their order; those that are not known are left out at the end
    public S3Error error(String message, String... values) {
        return new S3Error(this, message, List.of(values));
    }

    public int status() {
        return status;
    }

    /// As clients compare it.
    public String code() {
        return code;
    }

    /// Of the error document, beside Code, Message, Resource and RequestId.
    public List<String> elements() {
        return elements;
    }
}
