package dev.sluice.proxy.s3;

import dev.sluice.common.auth.Caller;
import dev.sluice.common.auth.RedirectTokens;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.RoutePreference;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.parse.ReadArguments;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.CachedReadRoute;
import dev.sluice.proxy.gateway.ClientUrl;
import dev.sluice.proxy.gateway.RelayMark;
import dev.sluice.proxy.gateway.RouteToKey;
import dev.sluice.proxy.gateway.Targets;
import java.time.InstantSource;

/// Sends a request on one object to the slot's primary: served here, handed over inside this JVM, redirected,
/// or relayed. Which clients can be redirected was measured: hardly any S3 client follows a 307 with a method
/// other than GET, some not at all, and some read a HEAD's redirect as the object (docs/architecture.md).
public final class ObjectRoute {
    private final NodeId self;
    private final ClusterViews views;
    private final Targets targets;
    private final PeerTokens peers;
    private final RedirectTokens tokens;
    private final InstantSource clock;

    public ObjectRoute(
            NodeId self,
            ClusterViews views,
            Targets targets,
            PeerTokens peers,
            RedirectTokens tokens,
            InstantSource clock) {
        this.self = self;
        this.views = views;
        this.targets = targets;
        this.peers = peers;
        this.tokens = tokens;
        this.clock = clock;
    }

    /// @param path with the bucket, also when the Host header names it
    public Answer route(
            S3Request.OnObject request, RequestHead head, String path, Caller caller, Bucket bucket, ClusterView view) {
        var primary = view.primary(bucket, request.name().key());
        var call = new ObjectCall(request, head, caller.body(), bucket);
        if (primary.id().equals(self)) {
            return here(targets.of(primary), call);
        }
        var hop = RelayMark.of(head);
        if (hop.isPresent()) {
            return relayedHere(call, hop.get(), view);
        }
        var sameProcess = targets.here(primary.id());
        if (sameProcess.isPresent()) {
            return sameProcess.get().object(call);
        }
        if (CachedReadRoute.suits(request, bucket)) {
            return cachedRead(call, path, caller, primary, view);
        }
        return request instanceof S3Request.GetObject && wantsRedirect(head, bucket)
                ? redirect(request, head, path, caller, primary, view)
                : new Forward(new RouteToKey(views, peers, view, bucket, request, head));
    }

    /// Nobody is redirected to a primary that is down.
    private Answer cachedRead(ObjectCall call, String path, Caller caller, Node primary, ClusterView view) {
        var bucket = call.bucket();
        var substitute = CachedReadRoute.substitute(view, bucket, call.key());
        var here = substitute.flatMap(node -> targets.here(node.id()));
        if (here.isPresent()) {
            return here.get().objectOfAway(call);
        }
        boolean redirects = substitute.isEmpty()
                && !view.isDown(primary.id())
                && call.request() instanceof S3Request.GetObject
                && wantsRedirect(call.head(), bucket);
        return redirects
                ? redirect(call.request(), call.head(), path, caller, primary, view)
                : new Forward(new CachedReadRoute(views, peers, view, bucket, call.request(), call.head()));
    }

    /// A target waits until it may serve the key. When the map names another one meanwhile, that one gets the request.
    private Answer here(TargetService target, ObjectCall call) {
        var answer = target.object(call);
        if (!(answer instanceof Blocking(var work))
                || call.relayed()
                || !call.bucket().replicated()) {
            return answer;
        }
        return new Blocking(body -> {
            try {
                return work.run(body);
            } catch (StoreException.NotPrimary refusal) {
                var way = new RouteToKey(views, peers, views.current(), call.bucket(), call.request(), call.head());
                if (way.now().name().equals(self.value())) {
                    throw refusal;
                }
                return new Forward(way);
            }
        });
    }

    /// By this node's map it has not the key. A newer one may say otherwise, which its target waits for. Where the node
    /// that relays it has found the primary away, the cloud answers for that one.
    private Answer relayedHere(ObjectCall call, RelayMark hop, ClusterView view) {
        var here = targets.here(self);
        if (here.isPresent() && hop.version() > view.version() && call.bucket().replicated()) {
            return here.get().object(call);
        }
        if (here.isPresent() && hop.away() && CachedReadRoute.suits(call.request(), call.bucket())) {
            return here.get().objectOfAway(call);
        }
        throw new StoreException.NotPrimary(
                "%s is not the primary of this key; the cluster map is changing".formatted(self));
    }

    private static boolean wantsRedirect(RequestHead head, Bucket bucket) {
        var asked = head.headers().first("x-sluice-route");
        if (asked.isPresent()) {
            return asked.get().equals("redirect");
        }
        if (head.headers().has("Origin")) {
            return false; // to a browser the node is another origin, which it would hide from the page
        }
        var forced = bucket.properties().route();
        if (forced.isPresent()) {
            return forced.get() == RoutePreference.REDIRECT;
        }
        return head.headers()
                .first("User-Agent")
                .map(ObjectRoute::followsRedirects)
                .orElse(false);
    }

    private static boolean followsRedirects(String agent) {
        return agent.startsWith("aws-sdk-go/1.")
                || agent.startsWith("duckdb/")
                || agent.contains("aiobotocore/")
                || agent.contains("minio-py/");
    }

    private Response redirect(
            S3Request.OnObject request, RequestHead head, String path, Caller caller, Node primary, ClusterView view) {
        var name = request.name();
        var token = tokens.issue(
                new RedirectTokens.Request(head.method(), name.bucket(), name.key(), ReadArguments.of(head.query())),
                caller.identity(),
                view.state().map().version(),
                clock.instant());
        var query = (head.query().isEmpty() ? "" : head.query() + "&") + RedirectTokens.PARAMETER + "=" + token;
        return new Response(
                307, Headers.of("Location", ClientUrl.of(primary, head, path) + path + "?" + query), ResponseBody.NONE);
    }
}
