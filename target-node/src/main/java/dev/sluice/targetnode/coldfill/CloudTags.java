package dev.sluice.targetnode.coldfill;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Response;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.answer.SettingXml;
import dev.sluice.common.store.StoreException;
import java.util.Optional;

/// The tags of objects in buckets with a backend: their cloud keeps them, and is asked.
public final class CloudTags {
    private final BucketBackends backends;

    public CloudTags(BucketBackends backends) {
        this.backends = backends;
    }

    /// What the cloud has now.
    ///
    /// @throws StoreException when it has no such object, does not answer, or does not show the tags that there are
    public Response of(Bucket bucket, String key) {
        var backend = backends.of(bucket);
        var tags = backend.tags(key).orElseGet(() -> {
            if (backend.head(key).headers().containsKey(Tags.COUNT_HEADER)) {
                throw new StoreException.BackendDenied("the cloud does not show the tags of " + key);
            }
            return Tags.NONE;
        });
        return S3Responses.xml(SettingXml.tagging(tags));
    }

    /// Of a version that is cached. The cloud does not say when tags change. None where it had none when it was cached,
    /// and the cloud cannot be asked now.
    ///
    /// @param etag the version's
    /// @param counted whether it had tags when it was cached
    /// @throws StoreException.Unavailable when they cannot be known: the cloud has another version, or shows none
    public Tags ofVersion(Bucket bucket, String key, String etag, boolean counted) {
        var backend = backends.of(bucket);
        Optional<Tags> tags;
        Optional<String> now;
        try {
            tags = backend.tags(key).filter(some -> counted || !some.isEmpty());
            now = tags.map(_ -> backend.head(key).etag());
        } catch (StoreException.NoSuchKey | StoreException.BackendUnavailable none) {
            if (counted && !(none instanceof StoreException.NoSuchKey)) {
                throw none;
            }
            tags = Optional.empty();
            now = Optional.empty();
        }
        if (now.equals(Optional.of(etag))) {
            return tags.orElseThrow().requireLegal();
        }
        if (now.isPresent() || counted) {
            throw new StoreException.Unavailable(
                    "the tags of %s as it is cached cannot be known: the cloud %s. Refresh it, or copy it with %s"
                            .formatted(
                                    key,
                                    now.isPresent() ? "has another version" : "does not show them",
                                    "x-amz-tagging-directive: REPLACE"));
        }
        return Tags.NONE;
    }

    /// @throws S3Failure NotImplemented for tags that the bucket's cloud does not keep
    public void requireKept(Bucket bucket, WriteAttributes attributes) {
        if (bucket.backed()
                && attributes.headers().containsKey(Tags.HEADER)
                && !backends.of(bucket).keepsTags()) {
            throw S3Failure.notImplemented(
                    "%s: the cloud behind the bucket %s keeps no tags (a copy may have x-amz-tagging-directive: REPLACE without any)"
                            .formatted(Tags.HEADER, bucket.name()));
        }
    }
}
