package dev.sluice.common.cluster;

import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.config.CorsRules;
import dev.sluice.common.s3.config.LifecycleRules;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a bucket's documents say, read once for each change of them.
public record BucketRules(BucketPolicy policy, CorsRules cors, LifecycleRules lifecycle) {
    public static final BucketRules NONE = new BucketRules(BucketPolicy.NONE, CorsRules.NONE, LifecycleRules.NONE);

    private static final Logger LOG = LoggerFactory.getLogger(BucketRules.class);

    static BucketRules compiled(Bucket bucket) {
        return new BucketRules(
                read(
                        bucket,
                        BucketDocument.POLICY,
                        text -> BucketPolicy.parse(bucket.name(), text),
                        BucketPolicy.NONE,
                        BucketPolicy.CLOSED),
                read(bucket, BucketDocument.CORS, CorsRules::parse, CorsRules.NONE, CorsRules.NONE),
                read(
                        bucket,
                        BucketDocument.LIFECYCLE,
                        LifecycleRules::parse,
                        LifecycleRules.NONE,
                        LifecycleRules.NONE));
    }

    /// Whether any object of the bucket, whose rules these are, expires.
    public boolean letExpire(Bucket bucket) {
        return !bucket.backed() && (bucket.properties().expireAfter().isPresent() || lifecycle.expires());
    }

    /// A document that cannot be read (damaged, or a newer Sluice's) does no harm, and none to other buckets.
    private static <T> T read(Bucket bucket, BucketDocument kind, Function<byte[], T> reader, T without, T unreadable) {
        return bucket.properties()
                .document(kind)
                .map(text -> {
                    try {
                        return reader.apply(text.getBytes(StandardCharsets.UTF_8));
                    } catch (S3Failure failure) {
                        LOG.error(
                                "the {} of bucket {} cannot be read, so the strictest holds until another is put or it is deleted: {}",
                                kind.title(),
                                bucket.name(),
                                failure.getMessage());
                        return unreadable;
                    }
                })
                .orElse(without);
    }
}
