package dev.sluice.common.s3.parse;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// What a request is about: the service, a bucket or a key. Keys are taken as they are: no path is ever normalised.
sealed interface Address {
    record Service() implements Address {}

    record Bucket(String name) implements Address {}

    record Key(ObjectName name) implements Address {}

    Service SERVICE = new Service();

    int LONGEST_KEY = 1024;

    /// @param hostBucket the bucket that the Host header names (virtual-host style); then the path is all key
    static Address of(RequestHead head, Optional<String> hostBucket) {
        var path = head.path();
        if (path.isEmpty() || path.charAt(0) != '/') {
            throw PercentDecoding.invalid();
        }
        if (hostBucket.isPresent()) {
            BucketName.checkExisting(hostBucket.get());
            return inBucket(hostBucket.get(), path, 1);
        }
        int start = path.equals("/s3") ? 3 : path.startsWith("/s3/") ? 4 : 1;
        if (start == path.length()) {
            return SERVICE;
        }
        int slash = path.indexOf('/', start);
        var bucket = PercentDecoding.decode(path, start, slash < 0 ? path.length() : slash, false);
        if (bucket.isEmpty()) {
            throw new S3Failure(S3Code.INVALID_BUCKET_NAME, "The path begins with an empty bucket name.");
        }
        BucketName.checkExisting(bucket);
        return inBucket(bucket, path, slash < 0 ? path.length() : slash + 1);
    }

    private static Address inBucket(String bucket, String path, int keyStart) {
        if (keyStart == path.length()) {
            return new Bucket(bucket);
        }
        var key = PercentDecoding.decode(path, keyStart, path.length(), false);
        checkLength(key);
        return new Key(new ObjectName(bucket, key));
    }

    static void checkLength(String key) {
        // A char is three bytes at most, so short keys need no encoding to know.
        if (key.length() <= LONGEST_KEY / 3) {
            return;
        }
        int size = key.getBytes(StandardCharsets.UTF_8).length;
        if (size > LONGEST_KEY) {
            throw S3Failure.of(S3Code.KEY_TOO_LONG, Integer.toString(size), Integer.toString(LONGEST_KEY));
        }
    }
}
