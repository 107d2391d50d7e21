package dev.sluice.proxy;

import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.auth.Caller;
import dev.sluice.common.auth.Identity;
import dev.sluice.common.auth.RedirectTokens;
import dev.sluice.common.auth.TokenVerdict;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import java.time.InstantSource;
import java.util.Optional;

/// Who may come in, and to do what. In this order: a peer's token, a redirect token, a signature, nothing at all.
final class AccessCheck {
    private final Authenticator authenticator;
    private final RedirectTokens redirects;
    private final PeerTokens peers;
    private final InstantSource clock;

    AccessCheck(Authenticator authenticator, RedirectTokens redirects, PeerTokens peers, InstantSource clock) {
        this.authenticator = authenticator;
        this.redirects = redirects;
        this.peers = peers;
        this.clock = clock;
    }

    /// @throws S3Failure when the request bears credentials that do not hold
    Caller caller(RequestHead head, S3Request request) {
        if (head.headers().has(PeerTokens.HEADER)) {
            var node = peers.verify(head)
                    .orElseThrow(() -> new S3Failure(403, "AccessDenied", "The peer token is forged or too old."));
            var body = head.headers().first(PeerTokens.BODY_HEADER);
            return new Caller(
                    new Identity.Node(node.value()),
                    body.<BodyTerms>map(BodyTerms.Hashed::new).orElseGet(BodyTerms.Plain::new));
        }
        if (request instanceof S3Request.OnObject object) {
            var granted = byRedirect(head, object);
            if (granted.isPresent()) {
                return granted.get();
            }
        }
        return switch (request) {
            case S3Request.GetObject _, S3Request.HeadObject _, S3Request.PutObject _ ->
                authenticator.authenticatePlainObject(head);
            case S3Request _ -> authenticator.authenticate(head);
        };
    }

    private Optional<Caller> byRedirect(RequestHead head, S3Request.OnObject request) {
        return token(head.query()).map(token -> {
            var name = request.name();
            return switch (redirects.verify(token, head.method(), name.bucket(), name.key(), clock.instant())) {
                case TokenVerdict.Granted(var identity, var _) -> new Caller(identity, BodyTerms.unverified(head));
                case TokenVerdict.Expired() ->
                    throw new S3Failure(
                            403,
                            "AccessDenied",
                            "The redirect's token has expired; send the request to a proxy again.");
                case TokenVerdict.Forged() ->
                    throw new S3Failure(403, "AccessDenied", "The redirect's token is not for this request.");
            };
        });
    }

    private static Optional<String> token(String query) {
        return query.contains(RedirectTokens.PARAMETER)
                ? QueryParameters.of(query).find(RedirectTokens.PARAMETER)
                : Optional.empty();
    }

    static void requireTrusted(Caller caller) {
        if (!caller.identity().trusted()) {
            throw denied();
        }
    }

    /// Everyone whose signature holds may do everything that the bucket's policy does not deny; everyone else only what
    /// it grants to all.
    static void authorise(Caller caller, S3Request.OnObject request, Bucket bucket, ClusterView view) {
        if (caller.identity() instanceof Identity.Node) {
            return;
        }
        var policy = view.policy(bucket).orElse(BucketPolicy.NONE);
        var name = request.name();
        if (caller.identity().trusted()) {
            refuseDenied(policy, PolicyAction.of(request), name);
            return;
        }
        boolean reads = request instanceof S3Request.GetObject || request instanceof S3Request.HeadObject;
        if (!reads || !policy.allowsAnonymous(PolicyAction.GET_OBJECT, name.bucket(), name.key())) {
            throw denied();
        }
        if (request instanceof S3Request.GetObject get && !get.overrides().isEmpty()) {
            throw S3Failure.invalidRequest(
                    "Request specific response headers cannot be used for anonymous GET requests.");
        }
    }

    /// The same for a bucket, which only those may touch who sign.
    static void authorise(Caller caller, S3Request.OnBucket request, Bucket bucket, ClusterView view) {
        requireTrusted(caller);
        var itself = new ObjectName(bucket.name(), "");
        PolicyAction.of(request)
                .ifPresent(action -> refuseDenied(view.policy(bucket).orElse(BucketPolicy.NONE), action, itself));
    }

    /// A copy reads its source: asked here, because the target that reads it does so in its own name.
    static void authoriseSource(Caller caller, ObjectName source, ClusterView view) {
        if (caller.identity() instanceof Identity.Node) {
            return;
        }
        view.bucket(source.bucket())
                .flatMap(view::policy)
                .ifPresent(policy -> refuseDenied(policy, PolicyAction.GET_OBJECT, source));
    }

    /// The same for a bucket's deletion by the native API.
    static void authoriseDeletion(String name, ClusterView view) {
        view.bucket(name)
                .flatMap(view::policy)
                .ifPresent(policy -> refuseDenied(policy, PolicyAction.DELETE_BUCKET, new ObjectName(name, "")));
    }

    private static void refuseDenied(BucketPolicy policy, String action, ObjectName name) {
        if (policy.denies(action, name.bucket(), name.key())) {
            throw deniedByPolicy();
        }
    }

    static S3Failure deniedByPolicy() {
        return new S3Failure(403, "AccessDenied", "Access Denied: the bucket's policy denies it.");
    }

    private static S3Failure denied() {
        return new S3Failure(403, "AccessDenied", "Access Denied: the request is not signed.");
    }
}
