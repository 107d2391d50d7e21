package dev.sluice.proxy.s3;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.concurrent.AtOnce;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.http.Response;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.peer.TargetUploads;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.answer.ListObjectsXml;
import dev.sluice.common.s3.answer.MultipartXml;
import dev.sluice.common.s3.answer.Owner;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.ListedUpload;
import dev.sluice.common.s3.listing.ListingMerge;
import dev.sluice.common.s3.listing.ListingPage;
import dev.sluice.common.s3.listing.PagedKeys;
import dev.sluice.common.s3.listing.SortedKeys;
import dev.sluice.common.s3.listing.UploadsPage;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.Targets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Listings: the targets' keys and, for a bucket with a backend, the cloud's, merged into one page. A source that does
/// not answer fails the listing: it is complete or it is a 503. Of a replicated bucket, a slot that no target lists
/// fails it. Of a cached bucket the targets that are down are not asked: the cloud has their keys too, but for those it
/// has lost.
public final class ListHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(ListHandlers.class);
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final ClusterViews views;
    private final Targets targets;
    private final Duration patience;

    public ListHandlers(ClusterViews views, Targets targets) {
        this(views, targets, PATIENCE);
    }

    /// @param patience how long a listing of a replicated bucket is made again while it lacks slots
    public ListHandlers(ClusterViews views, Targets targets, Duration patience) {
        this.views = views;
        this.targets = targets;
        this.patience = patience;
    }

    public Response objects(S3Request.ListObjects request, Bucket bucket) {
        return S3Responses.xml(ListObjectsXml.of(request, page(request, bucket), Owner.SLUICE));
    }

    Response versions(S3Request.ListObjectVersions request, Bucket bucket) {
        return S3Responses.xml(ListObjectsXml.versions(request, page(request.objects(), bucket), Owner.SLUICE));
    }

    private ListingPage page(S3Request.ListObjects request, Bucket bucket) {
        return bucket.properties().replicas() > 1
                ? replicated(request, bucket)
                : ListingPage.of(new ListingMerge(sources(request, bucket)), request);
    }

    /// What the targets have of a cached bucket, whatever the cloud has.
    public ListingPage cached(Bucket bucket, String prefix, String delimiter, String after, int limit) {
        var nodes = views.current().routing().targets();
        return ListingPage.of(
                new ListingMerge(stored(nodes, bucket, prefix, delimiter, limit)), prefix, delimiter, after, limit);
    }

    /// Whether a replicated bucket has no object in any slot.
    ///
    /// @throws StoreException.Unavailable when some slot has no primary now
    public boolean isEmpty(Bucket bucket) {
        return covered(
                bucket, new ListQuery("", "", "", 1), merged -> merged.peek().isEmpty());
    }

    private ListingPage replicated(S3Request.ListObjects request, Bucket bucket) {
        var query = new ListQuery(request.prefix(), request.delimiter(), "", request.maxKeys());
        return covered(bucket, query, merged -> ListingPage.of(merged, request));
    }

    private interface Making<T> {
        T of(ListingMerge merged);
    }

    /// Of a replicated bucket a target lists the slots it is the primary of, so the result counts only when each slot
    /// was listed by one target for as long as it was made. Otherwise it is made again from the newest view, for a
    /// while. Only primaries are asked: a target that is down costs no time, and an old view hides no key.
    private <T> T covered(Bucket bucket, ListQuery query, Making<T> making) {
        return untilWhole(bucket, (primaries, slots) -> {
            var sources = primaries.stream()
                    .map(node -> new CoveredKeys(targets.of(node), bucket, query))
                    .toList();
            var made = making.of(new ListingMerge(List.copyOf(sources)));
            return CoveredKeys.isWhole(sources, slots) ? Optional.of(made) : Optional.empty();
        });
    }

    /// Asks the primaries of all slots of a bucket.
    private interface Asking<T> {
        /// @return empty when some slot was not answered for
        Optional<T> ask(List<Node> primaries, int slots);
    }

    private <T> T untilWhole(Bucket bucket, Asking<T> asking) {
        long end = System.nanoTime() + Deadline.atMost(patience).toNanos();
        while (true) {
            var view = views.current();
            var group = view.group(bucket);
            var made = group.isEmpty()
                    ? Optional.<T>empty()
                    : asking.ask(view.primaries(bucket), group.get().slots());
            if (made.isPresent()) {
                return made.get();
            }
            if (System.nanoTime() > end) {
                throw new StoreException.Unavailable(
                        "some slots of the bucket %s have no primary now: a listing would lack their keys"
                                .formatted(bucket.name()));
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    public Response uploads(S3Request.ListMultipartUploads request, Bucket bucket) {
        var page = UploadsPage.of(query -> uploads(query, bucket), request);
        return S3Responses.xml(MultipartXml.uploads(request, page, Owner.SLUICE));
    }

    private List<List<ListedUpload>> uploads(UploadsQuery query, Bucket bucket) {
        if (bucket.properties().replicas() == 1) {
            var nodes = views.current().routing().targets();
            return uploads(AtOnce.ask(nodes, node -> targets.of(node).listUploads(bucket, query)));
        }
        return untilWhole(bucket, (primaries, slots) -> {
            var answers = AtOnce.ask(primaries, node -> covered(targets.of(node), bucket, query));
            return answers.stream()
                            .map(TargetUploads::cover)
                            .reduce(SlotCover.NONE, SlotCover::plus)
                            .isWhole(slots)
                    ? Optional.of(uploads(answers))
                    : Optional.empty();
        });
    }

    /// A target that does not answer, or does not know the bucket yet, covers no slot.
    private static TargetUploads covered(TargetService target, Bucket bucket, UploadsQuery query) {
        try {
            return target.listUploads(bucket, query);
        } catch (StoreException.Unavailable away) {
            LOG.debug("a target lists no uploads of {}: {}", bucket.name(), away.getMessage());
            return new TargetUploads(List.of(), SlotCover.NONE);
        }
    }

    private static List<List<ListedUpload>> uploads(List<TargetUploads> answers) {
        return answers.stream().map(TargetUploads::uploads).toList();
    }

    /// Of a key that several have, the first source's entry counts: what is here overrules what the cloud says.
    private List<SortedKeys> sources(S3Request.ListObjects request, Bucket bucket) {
        boolean compared = !bucket.properties().cache().revalidate().equals(Revalidate.NEVER);
        var nodes = asked(bucket);
        var sources = compared
                ? new ArrayList<SortedKeys>() // what is cached may be outdated
                : stored(nodes, bucket, request.prefix(), request.delimiter(), request.maxKeys());
        if (bucket.backed()) {
            var asked = targets.of(nodes.get((int) (bucket.id() % nodes.size())));
            sources.add(paged(query -> asked.listCloud(bucket, query), request.prefix(), request.delimiter(), 1000));
        }
        return sources;
    }

    private List<Node> asked(Bucket bucket) {
        var view = views.current();
        var nodes = bucket.backed() ? view.living() : view.routing().targets();
        if (nodes.isEmpty()) {
            throw new StoreException.Unavailable("no target is up to list the bucket " + bucket.name());
        }
        return nodes;
    }

    private List<SortedKeys> stored(List<Node> nodes, Bucket bucket, String prefix, String delimiter, int limit) {
        int pageSize = limit / nodes.size() + 16; // a little more than a target's even share
        var sources = new ArrayList<SortedKeys>();
        for (var node : nodes) {
            var target = targets.of(node);
            sources.add(paged(query -> target.list(bucket, query).objects(), prefix, delimiter, pageSize));
        }
        return sources;
    }

    private interface Keys {
        List<ListedObject> list(ListQuery query);
    }

    private static PagedKeys paged(Keys keys, String prefix, String delimiter, int pageSize) {
        return new PagedKeys(
                (from, limit) -> {
                    var page = keys.list(new ListQuery(prefix, delimiter, from, limit));
                    return new PagedKeys.Page(page, page.size() < limit);
                },
                pageSize);
    }
}
