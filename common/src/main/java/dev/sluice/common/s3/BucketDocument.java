package dev.sluice.common.s3;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a bucket can be configured with: documents that clients put, get and delete whole. A bucket keeps each as text
/// under its name.
public enum BucketDocument {
    POLICY("policy", "application/json", 204, S3Code.NO_SUCH_BUCKET_POLICY),
    TAGGING("tagging", "application/xml", 204, S3Code.NO_SUCH_TAG_SET),
    CORS("cors", "application/xml", 200, S3Code.NO_SUCH_CORS),
    LIFECYCLE("lifecycle", "application/xml", 200, S3Code.NO_SUCH_LIFECYCLE);

    /// In bytes of UTF-8. S3's own limit of a policy.
    public static final int LARGEST = 20 << 10;

    /// Of all of a bucket together.
    public static final int LARGEST_OF_ALL = 64 << 10;

    private static final Map<String, BucketDocument> BY_NAME =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(each -> each.title, Function.identity()));

    private final String title;
    private final String contentType;
    private final int putStatus;
    private final S3Code missing;

    BucketDocument(String title, String contentType, int putStatus, S3Code missing) {
        this.title = title;
        this.contentType = contentType;
        this.putStatus = putStatus;
        this.missing = missing;
    }

    /// @param name the parameter of the query that asks for it
    public static Optional<BucketDocument> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /// As in queries and in a bucket's properties.
    public String title() {
        return title;
    }

    public String contentType() {
        return contentType;
    }

    /// What S3 answers where it takes one: 200 or 204.
    public int putStatus() {
        return putStatus;
    }

    /// The answer where a bucket has none.
    public S3Failure missing(String bucket) {
        return S3Failure.of(missing, bucket);
    }
}
