package dev.sluice.common.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A failure of a request, by meaning. Which S3 code and HTTP status it becomes is decided in one other place.
public abstract sealed class StoreException extends RuntimeException {
    private StoreException(String message) {
        super(message);
    }

    private StoreException(String message, Throwable cause) {
        super(message, cause);
    }

    public static final class NoSuchKey extends StoreException {
        private final String key;

        public NoSuchKey(String key) {
            super("The key does not exist: " + key);
            this.key = key;
        }

        public String key() {
            return key;
        }
    }

    public static final class NoSuchBucket extends StoreException {
        private final String bucket;

        public NoSuchBucket(String bucket) {
            super("The bucket does not exist: " + bucket);
            this.bucket = bucket;
        }

        public String bucket() {
            return bucket;
        }
    }

    public static final class BucketExists extends StoreException {
        private final String bucket;

        public BucketExists(String bucket) {
            super("The bucket exists already and is yours: " + bucket);
            this.bucket = bucket;
        }

        public String bucket() {
            return bucket;
        }
    }

    public static final class BucketNotEmpty extends StoreException {
        private final String bucket;

        public BucketNotEmpty(String bucket) {
            super("The bucket is not empty: " + bucket);
            this.bucket = bucket;
        }

        public String bucket() {
            return bucket;
        }
    }

    public static final class NoSuchUpload extends StoreException {
        private final String uploadId;

        public NoSuchUpload(String uploadId) {
            super("The multipart upload does not exist; it may have been completed or aborted: " + uploadId);
            this.uploadId = uploadId;
        }

        public String uploadId() {
            return uploadId;
        }
    }

    /// A part named in CompleteMultipartUpload was not uploaded, or with another ETag.
    public static final class InvalidPart extends StoreException {
        private final int part;
        private final boolean asS3Says;

        public InvalidPart(int part) {
            this(part, "was not uploaded, or with another ETag", true);
        }

        /// @param why in other cases
        public InvalidPart(int part, String why) {
            this(part, why, false);
        }

        private InvalidPart(int part, String why, boolean asS3Says) {
            super("Part " + part + " " + why);
            this.part = part;
            this.asS3Says = asS3Says;
        }

        /// Whether S3's sentence says why.
        public boolean asS3Says() {
            return asS3Says;
        }

        public int part() {
            return part;
        }
    }

    public static final class InvalidPartOrder extends StoreException {
        public InvalidPartOrder() {
            super("The parts must be in ascending order of their numbers");
        }
    }

    public static final class EntityTooLarge extends StoreException {
        private final long size;
        private final long limit;

        public EntityTooLarge(long size, long limit) {
            super("The object has %d bytes; limits.object_size allows %d".formatted(size, limit));
            this.size = size;
            this.limit = limit;
        }

        public long size() {
            return size;
        }

        public long limit() {
            return limit;
        }
    }

    public static final class EntityTooSmall extends StoreException {
        private final int part;
        private final long size;
        private final long smallest;
        private final String etag;

        /// @param smallest what all parts but the last must have
        /// @param etag the part's, without quotes
        public EntityTooSmall(int part, long size, long smallest, String etag) {
            super("Part %d has %d bytes; all but the last need %d".formatted(part, size, smallest));
            this.part = part;
            this.size = size;
            this.smallest = smallest;
            this.etag = etag;
        }

        public int part() {
            return part;
        }

        public long size() {
            return size;
        }

        public long smallest() {
            return smallest;
        }

        public String etag() {
            return etag;
        }
    }

    public static final class InvalidArgument extends StoreException {
        private final List<String> nameAndValue;

        /// Of no single header or parameter.
        public InvalidArgument(String message) {
            super(message);
            this.nameAndValue = List.of();
        }

        /// @param name of the header or parameter
        public InvalidArgument(String name, String value, String message) {
            super(message);
            this.nameAndValue = List.of(name, value);
        }

        /// Of the argument, where it is known.
        public List<String> nameAndValue() {
            return nameAndValue;
        }
    }

    /// If-Match or If-Unmodified-Since does not hold (412), also If-None-Match on a write.
    public static final class PreconditionFailed extends StoreException {
        private final String condition;

        public PreconditionFailed(String condition) {
            super("The condition does not hold: " + condition);
            this.condition = condition;
        }

        public String condition() {
            return condition;
        }
    }

    /// If-None-Match or If-Modified-Since says that the client has it already (304).
    public static final class NotModified extends StoreException {
        private final String etag;
        private final Instant modified;
        private final Map<String, String> caching;

        /// @param etag the object's, without quotes
        /// @param caching those of its content headers that caches go by
        public NotModified(String etag, Instant modified, Map<String, String> caching) {
            super("Not modified");
            this.etag = etag;
            this.modified = modified;
            this.caching = Map.copyOf(caching);
        }

        public String etag() {
            return etag;
        }

        public Instant modified() {
            return modified;
        }

        public Map<String, String> caching() {
            return caching;
        }
    }

    public static final class RangeNotSatisfiable extends StoreException {
        private final long size;

        public RangeNotSatisfiable(long size) {
            super("The range lies outside the object's " + size + " bytes");
            this.size = size;
        }

        public long size() {
            return size;
        }
    }

    /// Samples were asked of an object that is no tar, or not a whole one (400).
    public static final class NoWholeTar extends StoreException {
        public NoWholeTar(String message) {
            super(message);
        }
    }

    /// A sample of the shard is longer than its index can say (422).
    public static final class SampleTooLarge extends StoreException {
        public SampleTooLarge(String message) {
            super(message);
        }
    }

    public static final class NoSuchSample extends StoreException {
        private final long number;
        private final int count;

        /// @param number of the sample that was asked for
        /// @param count how many the shard has
        public NoSuchSample(long number, int count) {
            super("The shard has %d samples, and no sample %d: they are counted from 0".formatted(count, number));
            this.number = number;
            this.count = count;
        }

        public long number() {
            return number;
        }

        public int count() {
            return count;
        }
    }

    /// The bytes received are not the ones the client's checksum names.
    public static final class BadDigest extends StoreException {
        private final String sentence;
        private final List<String> digests;

        public BadDigest(String message) {
            super(message);
            this.sentence = message;
            this.digests = List.of();
        }

        /// @param sentence S3's, without the digests
        /// @param expected as the client sent it
        public BadDigest(String sentence, String expected, String calculated) {
            super("%s Expected %s, calculated %s".formatted(sentence, expected, calculated));
            this.sentence = sentence;
            this.digests = List.of(expected, calculated);
        }

        /// With the digests it says all that the message says.
        public String sentence() {
            return sentence;
        }

        /// The expected and the calculated one, where they are known.
        public List<String> digests() {
            return digests;
        }
    }

    /// The client broke off before the promised length.
    public static final class IncompleteBody extends StoreException {
        private final List<String> lengths;

        public IncompleteBody(String message) {
            super(message);
            this.lengths = List.of();
        }

        /// @param expected what Content-Length promised
        public IncompleteBody(long expected, long received) {
            super("The body has %d bytes instead of the %d that Content-Length promised".formatted(received, expected));
            this.lengths = List.of(Long.toString(expected), Long.toString(received));
        }

        /// The promised and the received one, where they are known.
        public List<String> lengths() {
            return lengths;
        }
    }

    /// No room on the drive (507).
    public static final class NoSpace extends StoreException {
        public NoSpace(String message) {
            super(message);
        }
    }

    /// The bucket would have more bytes than its quota (507).
    public static final class QuotaExceeded extends StoreException {
        public QuotaExceeded(String message) {
            super(message);
        }
    }

    /// Stored here, but the bytes on the drive are not the ones that were written (500, never 200).
    public static final class Damaged extends StoreException {
        public Damaged(String message) {
            super(message);
        }
    }

    /// A drive failed or does not answer (503).
    public static final class DriveFailed extends StoreException {
        public DriveFailed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /// The cloud did not answer, or broke off (503).
    public static final class BackendUnavailable extends StoreException {
        public BackendUnavailable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /// The cloud refused us (its 403): wrong or missing credentials for the backend.
    public static final class BackendDenied extends StoreException {
        private final boolean wantsCredentials;

        public BackendDenied(String message) {
            this(message, false);
        }

        private BackendDenied(String message, boolean wantsCredentials) {
            super(message);
            this.wantsCredentials = wantsCredentials;
        }

        /// Other credentials would help.
        public static BackendDenied wantsCredentials(String message) {
            return new BackendDenied(message, true);
        }

        public boolean wantsCredentials() {
            return wantsCredentials;
        }
    }

    /// This node is not the one that may serve the key, and has looked at nothing of the request (503): it can be sent
    /// to another one.
    public static final class NotPrimary extends StoreException {
        public NotPrimary(String message) {
            super(message);
        }
    }

    /// This controller does not lead, and has done nothing: to be asked of another one.
    public static final class NotLeader extends StoreException {
        private final Optional<String> leader;

        /// @param leader the controller that leads, where it is known
        public NotLeader(String message, Optional<String> leader) {
            super(message);
            this.leader = leader;
        }

        /// It was not reached.
        public NotLeader(String message, Throwable cause) {
            super(message, cause);
            this.leader = Optional.empty();
        }

        public Optional<String> leader() {
            return leader;
        }
    }

    /// This node cannot know or must not answer now (503 + Retry-After), never to be taken for "does not exist".
    public static sealed class Unavailable extends StoreException {
        private final Duration retryAfter;

        public Unavailable(String message, Throwable cause) {
            super(message, cause);
            retryAfter = Duration.ofSeconds(1);
        }

        public Unavailable(String message) {
            this(message, Duration.ofSeconds(1));
        }

        public Unavailable(String message, Duration retryAfter) {
            super(message);
            this.retryAfter = retryAfter;
        }

        public Duration retryAfter() {
            return retryAfter;
        }
    }

    /// A queue is full: nothing was begun.
    public static final class Busy extends Unavailable {
        public Busy(String message) {
            super(message);
        }
    }
}
