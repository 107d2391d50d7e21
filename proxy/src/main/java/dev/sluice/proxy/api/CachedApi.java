package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.s3.ListHandlers;

/// `/v1/cached/BUCKET`: the keys of a bucket with a backend that are stored on the targets, page by page. The cloud is
/// not asked. A target that does not answer fails the page: it would lack keys.
public final class CachedApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PAGE = 1000;

    private final ListHandlers lists;

    public CachedApi(ListHandlers lists) {
        this.lists = lists;
    }

    /// @param query `prefix`, `delimiter` and `after`, all optional
    public JsonNode page(Bucket bucket, QueryParameters query) {
        if (!bucket.backed()) {
            throw new StoreException.InvalidArgument(
                    "The bucket %s has no backend: all its objects are stored here, list them as usual"
                            .formatted(bucket.name()));
        }
        var page = lists.cached(bucket, query.text("prefix"), query.text("delimiter"), query.text("after"), PAGE);
        var shown = JSON.createObjectNode().put("bucket", bucket.name());
        var objects = shown.putArray("objects");
        page.contents()
                .forEach(object -> objects.addObject()
                        .put("key", object.key())
                        .put("size", object.size())
                        .put("etag", object.etag())
                        .put("last_modified", object.lastModified().toString()));
        var prefixes = shown.putArray("prefixes");
        page.commonPrefixes().forEach(prefixes::add);
        return shown.put("next", page.next().orElse(null));
    }
}
