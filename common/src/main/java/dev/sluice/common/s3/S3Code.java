package dev.sluice.common.s3;

import java.util.List;

/// Every code with which a request is refused: its HTTP status, S3's sentence, and what the error document says
/// besides, as S3 does.
public enum S3Code {
    NOT_MODIFIED(304, "NotModified"),

    ACL_NOT_SUPPORTED(400, "AccessControlListNotSupported"),
    AUTHORIZATION_HEADER_MALFORMED(400, "AuthorizationHeaderMalformed", "Region"),
    AUTHORIZATION_QUERY_PARAMETERS_ERROR(400, "AuthorizationQueryParametersError", "Region"),
    BAD_DIGEST(400, "BadDigest", "ExpectedDigest", "CalculatedDigest"),
    ENTITY_TOO_LARGE(
            400,
            "EntityTooLarge",
            "Your proposed upload exceeds the maximum allowed size",
            List.of("ProposedSize", "MaxSizeAllowed")),
    ENTITY_TOO_SMALL(
            400,
            "EntityTooSmall",
            "Your proposed upload is smaller than the minimum allowed size",
            List.of("ProposedSize", "MinSizeAllowed", "PartNumber", "ETag")),
    INCOMPLETE_BODY(
            400,
            "IncompleteBody",
            "You did not provide the number of bytes specified by the Content-Length HTTP header",
            List.of("NumberBytesExpected", "NumberBytesProvided")),
    INVALID_ARGUMENT(400, "InvalidArgument", "ArgumentName", "ArgumentValue"),
    INVALID_BUCKET_ACL(400, "InvalidBucketAclWithObjectOwnership"),
    INVALID_BUCKET_NAME(400, "InvalidBucketName", "The specified bucket is not valid.", List.of("BucketName")),
    INVALID_CHUNK_SIZE(400, "InvalidChunkSizeError"),
    INVALID_DIGEST(400, "InvalidDigest", "The Content-MD5 you specified was invalid.", List.of("Content-MD5")),
    INVALID_LOCATION_CONSTRAINT(400, "InvalidLocationConstraint", "LocationConstraint"),
    INVALID_PART(
            400,
            "InvalidPart",
            "One or more of the specified parts could not be found.  The part may not have"
                    + " been uploaded, or the specified entity tag may not match the part's entity tag.",
            List.of("PartNumber")),
    INVALID_PART_ORDER(
            400,
            "InvalidPartOrder",
            "The list of parts was not in ascending order. Parts must be ordered by part number.",
            List.of()),
    INVALID_REQUEST(400, "InvalidRequest"),
    INVALID_URI(400, "InvalidURI"),
    BAD_REQUEST(400, "BadRequest"),
    INVALID_TAG(400, "InvalidTag", "TagKey", "TagValue"),
    KEY_TOO_LONG(400, "KeyTooLongError", "Your key is too long", List.of("Size", "MaxSizeAllowed")),
    MALFORMED_POLICY(400, "MalformedPolicy"),
    MALFORMED_TRAILER(400, "MalformedTrailerError"),
    MALFORMED_XML(400, "MalformedXML"),
    MAX_MESSAGE_LENGTH_EXCEEDED(400, "MaxMessageLengthExceeded", "MaxMessageLengthBytes"),
    /// S3 knows no samples, so it has no codes for them.
    NO_WHOLE_TAR(400, "NoWholeTar"),
    METADATA_TOO_LARGE(
            400,
            "MetadataTooLarge",
            "Your metadata headers exceed the maximum allowed metadata size",
            List.of("Size", "MaxSizeAllowed")),
    SHA256_MISMATCH(
            400,
            "XAmzContentSHA256Mismatch",
            "The provided 'x-amz-content-sha256' header does not match what was computed.",
            List.of("ClientComputedContentSHA256", "S3ComputedContentSHA256")),

    ACCESS_DENIED(403, "AccessDenied", "Access Denied", List.of()),
    ACCESS_FORBIDDEN(403, "AccessForbidden", "Method", "ResourceType"),
    INVALID_ACCESS_KEY_ID(
            403,
            "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records.",
            List.of("AWSAccessKeyId")),
    REQUEST_TIME_TOO_SKEWED(
            403,
            "RequestTimeTooSkewed",
            "The difference between the request time and the current time is too large.",
            List.of("RequestTime", "ServerTime", "MaxAllowedSkewMilliseconds")),
    SIGNATURE_DOES_NOT_MATCH(
            403,
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided."
                    + " Check your key and signing method.",
            List.of(
                    "AWSAccessKeyId",
                    "StringToSign",
                    "SignatureProvided",
                    "StringToSignBytes",
                    "CanonicalRequest",
                    "CanonicalRequestBytes")),

    NO_SUCH_BUCKET(404, "NoSuchBucket", "The specified bucket does not exist", List.of("BucketName")),
    NO_SUCH_BUCKET_POLICY(404, "NoSuchBucketPolicy", "The bucket policy does not exist", List.of("BucketName")),
    NO_SUCH_CONFIGURATION(
            404, "NoSuchConfiguration", "The specified configuration does not exist.", List.of("BucketName", "Id")),
    NO_SUCH_CORS(404, "NoSuchCORSConfiguration", "The CORS configuration does not exist", List.of("BucketName")),
    NO_SUCH_ENCRYPTION(
            404,
            "ServerSideEncryptionConfigurationNotFoundError",
            "The server side encryption configuration was not found",
            List.of("BucketName")),
    NO_SUCH_KEY(404, "NoSuchKey", "The specified key does not exist.", List.of("Key")),
    NO_SUCH_LIFECYCLE(
            404, "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist", List.of("BucketName")),
    NO_SUCH_OBJECT_LOCK(
            404,
            "ObjectLockConfigurationNotFoundError",
            "Object Lock configuration does not exist for this bucket",
            List.of("BucketName")),
    NO_SUCH_PUBLIC_ACCESS_BLOCK(
            404,
            "NoSuchPublicAccessBlockConfiguration",
            "The public access block configuration was not found",
            List.of("BucketName")),
    NO_SUCH_REPLICATION(
            404,
            "ReplicationConfigurationNotFoundError",
            "The replication configuration was not found",
            List.of("BucketName")),
    NO_SUCH_TAG_SET(404, "NoSuchTagSet", "The TagSet does not exist", List.of("BucketName")),
    NO_SUCH_UPLOAD(
            404,
            "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the"
                    + " upload may have been aborted or completed.",
            List.of("UploadId")),
    NO_SUCH_VERSION(404, "NoSuchVersion", "The specified version does not exist.", List.of("VersionId")),
    NO_SUCH_WEBSITE(
            404,
            "NoSuchWebsiteConfiguration",
            "The specified bucket does not have a website configuration",
            List.of("BucketName")),

    METHOD_NOT_ALLOWED(
            405, "MethodNotAllowed", "The specified method is not allowed against this resource.", List.of("Method")),
    BUCKET_ALREADY_OWNED(
            409,
            "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it.",
            List.of("BucketName")),
    BUCKET_NOT_EMPTY(409, "BucketNotEmpty", "The bucket you tried to delete is not empty", List.of("BucketName")),
    OPERATION_ABORTED(409, "OperationAborted"),
    MISSING_CONTENT_LENGTH(411, "MissingContentLength", "You must provide the Content-Length HTTP header.", List.of()),
    PRECONDITION_FAILED(
            412,
            "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            List.of("Condition")),
    INVALID_PART_NUMBER(
            416,
            "InvalidPartNumber",
            "The requested partnumber is not satisfiable",
            List.of("PartNumberRequested", "ActualPartCount")),
    INVALID_RANGE(
            416,
            "InvalidRange",
            "The requested range is not satisfiable",
            List.of("ActualObjectSize", "RangeRequested")),
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
    private final String sentence;
    private final List<String> elements;

    /// @param sentence S3's own: with the elements it says all there is to say
    S3Code(int status, String code, String sentence, List<String> elements) {
        this.status = status;
        this.code = code;
        this.sentence = sentence;
        this.elements = elements;
    }

    /// A code whose errors say more than S3's sentence does, or other sentences: each has a message of its own.
    S3Code(int status, String code, String... elements) {
        this(status, code, "", List.of(elements));
    }

    /// With S3's own sentence.
    ///
    /// @param values of the elements, in their order; those that are not known are left out at the end
    public S3Error error(List<String> values) {
        if (sentence.isEmpty()) {
            throw new IllegalStateException(code + " has no sentence of S3's");
        }
        return new S3Error(this, sentence, values);
    }

    /// With a message that says more than S3's sentence and the elements.
    ///
    /// @param values as above
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

    /// S3's own, empty where there is none.
    public String sentence() {
        return sentence;
    }

    /// Of the error document, beside Code, Message, Resource and RequestId.
    public List<String> elements() {
        return elements;
    }
}
