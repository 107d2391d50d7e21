package dev.sluice.targetnode.coldfill;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Response;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.answer.SettingXml;

/// The tags of objects in buckets with a backend: their cloud keeps them, and is asked.
public final class CloudTags {
    private final BucketBackends backends;

    public CloudTags(BucketBackends backends) {
        this.backends = backends;
    }

    /// @throws dev.sluice.common.store.StoreException when the cloud has no such object, or does not answer
    public Response of(Bucket bucket, String key) {
        return S3Responses.xml(SettingXml.tagging(backends.of(bucket).tags(key)));
    }

    /// @throws S3Failure NotImplemented for tags that the bucket's cloud does not keep
    public void requireKept(Bucket bucket, WriteAttributes attributes) {
        if (bucket.backed()
                && attributes.headers().containsKey(Tags.HEADER)
                && !backends.of(bucket).keepsTags()) {
            throw S3Failure.notImplemented(
                    "%s: the cloud behind the bucket %s keeps no tags".formatted(Tags.HEADER, bucket.name()));
        }
    }
}
