package dev.sluice.proxy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.concurrent.AtOnce;
import dev.sluice.common.http.Response;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.answer.ListObjectsXml;
import dev.sluice.common.s3.answer.MultipartXml;
import dev.sluice.common.s3.answer.Owner;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.ListingMerge;
import dev.sluice.common.s3.listing.ListingPage;
import dev.sluice.common.s3.listing.PagedKeys;
import dev.sluice.common.s3.listing.SortedKeys;
import dev.sluice.common.s3.listing.UploadsPage;
import java.util.ArrayList;
import java.util.List;

/// Listings: every target's keys and, for a bucket with a backend, the cloud's, merged into one page. A source
/// that does not answer fails the listing: it is complete or it is a 503.
final class ListHandlers {
    private final ClusterViews views;
    private final Targets targets;

    ListHandlers(ClusterViews views, Targets targets) {
        this.views = views;
        this.targets = targets;
    }

    Response objects(S3Request.ListObjects request, Bucket bucket) {
        var page = ListingPage.of(new ListingMerge(sources(request, bucket)), request);
        return S3Responses.xml(ListObjectsXml.of(request, page, Owner.SLUICE));
    }

    Response uploads(S3Request.ListMultipartUploads request, Bucket bucket) {
        var nodes = views.current().routing().targets();
        var page = UploadsPage.of(
                query -> AtOnce.ask(nodes, node -> targets.of(node).listUploads(bucket, query)), request);
        return S3Responses.xml(MultipartXml.uploads(request, page, Owner.SLUICE));
    }

    /// Of a key that several have, the first source's entry counts: what is here overrules what the cloud says.
    private List<SortedKeys> sources(S3Request.ListObjects request, Bucket bucket) {
        var nodes = views.current().routing().targets();
        int pageSize = request.maxKeys() / nodes.size() + 16; // a little more than a target's even share
        var sources = new ArrayList<SortedKeys>();
        for (var node : nodes) {
            var target = targets.of(node);
            sources.add(paged(query -> target.list(bucket, query), request, pageSize));
        }
        if (bucket.backed()) {
            var asked = targets.of(nodes.get((int) (bucket.id() % nodes.size())));
            sources.add(paged(query -> asked.listCloud(bucket, query), request, 1000));
        }
        return sources;
    }

    private interface Keys {
        List<ListedObject> list(ListQuery query);
    }

    private static PagedKeys paged(Keys keys, S3Request.ListObjects request, int pageSize) {
        return new PagedKeys(
                (from, limit) -> {
                    var page = keys.list(new ListQuery(request.prefix(), request.delimiter(), from, limit));
                    return new PagedKeys.Page(page, page.size() < limit);
                },
                pageSize);
    }
}
