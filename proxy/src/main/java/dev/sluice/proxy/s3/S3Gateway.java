package dev.sluice.proxy.s3;

import dev.sluice.common.auth.Caller;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.parse.S3RequestParser;
import dev.sluice.common.s3.parse.UnreadRequest;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.RelayMark;
import java.time.Duration;
import java.util.function.Supplier;

/// Every S3 request: parsed, admitted, and sent where it is served. The switches below are the route table.
public final class S3Gateway implements HttpHandler {
    private static final Duration LATELY = Duration.ofSeconds(1);

    /// In all, for questions to the controllers and for a listing of a replicated bucket.
    private static final Duration READ = Duration.ofSeconds(4);

    private final S3RequestParser parser;
    private final AccessCheck access;
    private final ClusterViews views;
    private final ObjectRoute objects;
    private final BucketHandlers buckets;
    private final ListHandlers lists;
    private final DeleteObjectsHandler deletes;

    public S3Gateway(
            S3RequestParser parser,
            AccessCheck access,
            ClusterViews views,
            ObjectRoute objects,
            BucketHandlers buckets,
            ListHandlers lists,
            DeleteObjectsHandler deletes) {
        this.parser = parser;
        this.access = access;
        this.views = views;
        this.objects = objects;
        this.buckets = buckets;
        this.lists = lists;
        this.deletes = deletes;
    }

    @Override
    public Answer answer(RequestHead head) {
        return guarded(head, () -> route(head));
    }

    /// In S3's order: the URI, who sends it, whether they may, its arguments, the bucket; the key comes last.
    private Answer route(RequestHead head) {
        var request = parser.open(head);
        RelayMark.requireSameBucket(head, request);
        if (head.method().equals(Preflight.METHOD) && request.bucket().isPresent()) {
            return preflight(request, request.bucket().get(), head);
        }
        var caller = access.caller(head, request);
        var object = request.object();
        if (object.isEmpty()) {
            AccessCheck.requireTrusted(caller);
            return blocking(head, body -> onBucket(request, caller, head, body));
        }
        var view = views.current();
        var bucket = view.bucket(object.get().bucket());
        return bucket.isPresent()
                ? object(request, head, caller, bucket.get(), view)
                : blocking(head, body -> inNewerView(request, object.get().bucket(), head, caller, body));
    }

    /// A browser does not sign it, and it gives away nothing but what the bucket's rules say.
    private Answer preflight(UnreadRequest request, String name, RequestHead head) {
        var asked = Preflight.of(request, head);
        var view = views.current();
        return view.bucket(name)
                .<Answer>map(bucket -> asked.answer(view.rules(bucket).cors()))
                .orElseGet(() -> blocking(head, _ -> {
                    var newer = confirmedLately();
                    return asked.answer(newer.rules(existing(name, newer)).cors());
                }));
    }

    /// By the bucket's CORS rules, if a page of another origin sends the request. Empty for one that a node relayed.
    @Override
    public Headers extraHeaders(RequestHead head) {
        var origin = head.headers().first("Origin");
        if (origin.isEmpty()
                || head.method().equals(Preflight.METHOD)
                || RelayMark.of(head).isPresent()) {
            return Headers.EMPTY;
        }
        try {
            var view = views.current();
            var bucket = parser.open(head).bucket().flatMap(view::bucket);
            var method = head.headers().first(Preflight.REQUEST_METHOD).orElse(head.method());
            return bucket.flatMap(there -> view.rules(there).cors().actual(origin.get(), method))
                    .orElse(Headers.EMPTY);
        } catch (S3Failure | StoreException _) {
            return Headers.EMPTY; // there is no such bucket, or none is known
        }
    }

    private Response onBucket(UnreadRequest unread, Caller caller, RequestHead head, ByteSource body) {
        var reading = Deadline.in(READ);
        var view = reading.call(() -> confirmed(unread, caller));
        var bucket = unread.bucket().flatMap(view::bucket);
        bucket.ifPresent(there -> AccessCheck.authorise(caller, unread, there, view));
        return switch (unread.read()) {
            case S3Request.ListBuckets list -> buckets.list(list, view);
            case S3Request.CreateBucket create -> buckets.create(create, caller, head, body);
            case S3Request.OnBucket request -> {
                var there = existing(request.bucket(), view);
                Supplier<Response> serving = () -> serve(request, there, view, caller, head, body);
                yield isOfTargets(request, there) ? reading.call(serving) : serving.get();
            }
            case S3Request.OnObject request -> throw new IllegalStateException("not on a bucket: " + request);
        };
    }

    /// A listing without the cloud's part, which may take longer.
    private static boolean isOfTargets(S3Request.OnBucket request, Bucket bucket) {
        return switch (request) {
            case S3Request.ListObjects _, S3Request.ListObjectVersions _ -> !bucket.backed();
            case S3Request.ListMultipartUploads _ -> true;
            default -> false;
        };
    }

    /// A malformed request is refused as such also while the controller does not answer, where this node knows enough.
    private ClusterView confirmed(UnreadRequest unread, Caller caller) {
        try {
            return views.confirmed();
        } catch (StoreException.Unavailable away) {
            var known = views.current();
            var bucket = unread.bucket().flatMap(known::bucket);
            bucket.ifPresent(there -> AccessCheck.authorise(caller, unread, there, known));
            if (bucket.isPresent() || unread.bucket().isEmpty()) {
                var _ = unread.read();
            }
            throw away;
        }
    }

    private Response serve(
            S3Request.OnBucket request,
            Bucket bucket,
            ClusterView view,
            Caller caller,
            RequestHead head,
            ByteSource body) {
        return switch (request) {
            case S3Request.CreateBucket create -> buckets.create(create, caller, head, body);
            case S3Request.HeadBucket _ -> buckets.head();
            case S3Request.DeleteBucket _ -> buckets.delete(bucket);
            case S3Request.GetBucketLocation _ -> buckets.location();
            case S3Request.GetBucketVersioning _ -> buckets.versioning();
            case S3Request.GetBucketSetting question -> buckets.setting(question, bucket, view);
            case S3Request.PutBucketAcl _ -> Response.empty(200);
            case S3Request.GetBucketDocument get -> buckets.documents().get(bucket, get.document());
            case S3Request.PutBucketDocument put -> buckets.documents().put(put, bucket, caller, head, body);
            case S3Request.DeleteBucketDocument delete -> buckets.documents().delete(bucket, delete.document());
            case S3Request.ListObjects list -> lists.objects(list, bucket);
            case S3Request.ListObjectVersions list -> lists.versions(list, bucket);
            case S3Request.ListMultipartUploads list -> lists.uploads(list, bucket);
            case S3Request.DeleteObjects delete -> deletes.handle(delete, bucket, view, caller, head, body);
        };
    }

    private Answer object(UnreadRequest unread, RequestHead head, Caller caller, Bucket bucket, ClusterView view) {
        AccessCheck.authorise(caller, unread, bucket, view);
        if (!(unread.read() instanceof S3Request.OnObject request)) {
            throw new IllegalStateException("not on an object: " + head.path());
        }
        AccessCheck.refuseOverrides(caller, request);
        AccessCheck.authoriseTags(caller, request, bucket, view);
        if (request instanceof S3Request.CopyObject copy) {
            return copy(request, copy.source(), head, unread.pathWithBucket(), caller, bucket, view);
        }
        if (request instanceof S3Request.UploadPartCopy copy) {
            return copy(request, copy.source(), head, unread.pathWithBucket(), caller, bucket, view);
        }
        return guarded(head, objects.route(request, head, unread.pathWithBucket(), caller, bucket, view));
    }

    /// Blocking, because the source's bucket may be unknown here yet.
    private Answer copy(
            S3Request.OnObject request,
            ObjectName source,
            RequestHead head,
            String path,
            Caller caller,
            Bucket bucket,
            ClusterView view) {
        return blocking(head, body -> {
            var known = view.bucket(source.bucket()).isPresent() ? view : views.confirmed();
            boolean withTags = request instanceof S3Request.CopyObject object && !object.replaceTags();
            AccessCheck.authoriseSource(caller, source, withTags, known);
            return now(objects.route(request, head, path, caller, bucket, view), body);
        });
    }

    /// This node's table has no such bucket: only the controller can say whether there is none. It is not asked for
    /// each request of somebody who need not even sign.
    private Answer inNewerView(UnreadRequest request, String name, RequestHead head, Caller caller, ByteSource body) {
        boolean trusted = caller.identity().trusted();
        var view = trusted ? Deadline.in(READ).call(views::confirmed) : confirmedLately();
        if (trusted && view.bucket(name).isEmpty()) {
            request.read(); // what is wrong with it comes first
        }
        return now(object(request, head, caller, existing(name, view), view), body);
    }

    private ClusterView confirmedLately() {
        return Deadline.in(READ).call(() -> views.confirmed(LATELY));
    }

    private static Answer now(Answer answer, ByteSource body) {
        return answer instanceof Blocking(var work) ? work.run(body) : answer;
    }

    private static Bucket existing(String name, ClusterView view) {
        return view.bucket(name).orElseThrow(() -> new StoreException.NoSuchBucket(name));
    }

    private interface Step {
        Answer run();
    }

    private static Answer blocking(RequestHead head, Blocking.Work work) {
        return new Blocking(body -> guarded(head, () -> work.run(body)));
    }

    private static Answer guarded(RequestHead head, Answer answer) {
        return answer instanceof Blocking(var work) ? blocking(head, work) : answer;
    }

    /// The one place where a failure becomes an answer.
    private static Answer guarded(RequestHead head, Step step) {
        try {
            return step.run();
        } catch (S3Failure e) {
            return S3Responses.error(e, head);
        } catch (StoreException e) {
            return S3Responses.error(e, head);
        }
    }
}
