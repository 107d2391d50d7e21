package dev.sluice.proxy.s3;

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
import dev.sluice.common.s3.S3Action;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.parse.ReadArguments;
import dev.sluice.common.s3.parse.UnreadRequest;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// Who may come in, and to do what. In this order: a peer's token, a redirect token, a signature, nothing at all.
public final class AccessCheck {
    private static final Set<S3Action> READS = EnumSet.of(S3Action.GET_OBJECT, S3Action.HEAD_OBJECT);

    private final Authenticator authenticator;
    private final RedirectTokens redirects;
    private final PeerTokens peers;
    private final InstantSource clock;

    public AccessCheck(Authenticator authenticator, RedirectTokens redirects, PeerTokens peers, InstantSource clock) {
        this.authenticator = authenticator;
        this.redirects = redirects;
        this.peers = peers;
        this.clock = clock;
    }

    /// @throws S3Failure when the request bears credentials that do not hold
    Caller caller(RequestHead head, UnreadRequest request) {
        if (head.headers().has(PeerTokens.HEADER)) {
            var node = peers.verify(head)
                    .orElseThrow(() -> new S3Failure(S3Code.ACCESS_DENIED, "The peer token is forged or too old."));
            var body = head.headers().first(PeerTokens.BODY_HEADER);
            return new Caller(
                    new Identity.Node(node.value()),
                    body.<BodyTerms>map(BodyTerms.Hashed::new).orElseGet(BodyTerms.Plain::new));
        }
        var granted = request.object().flatMap(name -> byRedirect(head, request, name));
        if (granted.isPresent()) {
            return granted.get();
        }
        return request.object().isPresent()
                ? authenticator.authenticateOnObject(head, request.pathWithBucket())
                : authenticator.authenticate(head);
    }

    /// Only a GetObject is ever redirected: no token is for anything else.
    private Optional<Caller> byRedirect(RequestHead head, UnreadRequest request, ObjectName name) {
        return token(head.query()).map(token -> {
            if (!request.action().equals(Optional.of(S3Action.GET_OBJECT))) {
                throw denied();
            }
            var asked = new RedirectTokens.Request(
                    head.method(), name.bucket(), name.key(), ReadArguments.of(head.query()));
            return switch (redirects.verify(token, asked, clock.instant())) {
                case TokenVerdict.Granted(var identity, var _) -> new Caller(identity, BodyTerms.unverified(head));
                case TokenVerdict.Expired() -> throw new S3Failure(S3Code.ACCESS_DENIED, "Request has expired");
                case TokenVerdict.Forged() -> throw denied();
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
    /// it grants to all: to read objects.
    static void authorise(Caller caller, UnreadRequest request, Bucket bucket, ClusterView view) {
        if (caller.identity() instanceof Identity.Node) {
            return;
        }
        var policy = view.policy(bucket);
        var name = request.object().orElseGet(() -> new ObjectName(bucket.name(), ""));
        if (caller.identity().trusted()) {
            request.action()
                    .map(S3Action::permission)
                    .filter(permission -> !permission.isEmpty())
                    .ifPresent(permission -> refuseDenied(policy, permission, name));
            if (request.action().equals(Optional.of(S3Action.GET_OBJECT_ATTRIBUTES))) {
                refuseDenied(policy, S3Action.GET_OBJECT.permission(), name);
            }
            return;
        }
        boolean reads = request.action().filter(READS::contains).isPresent();
        if (!reads || !policy.allowsAnonymous(S3Action.GET_OBJECT.permission(), name.bucket(), name.key())) {
            throw denied();
        }
    }

    /// An answer that anybody may ask for says what its object says.
    static void refuseOverrides(Caller caller, S3Request.OnObject request) {
        boolean overrides = switch (request) {
            case S3Request.GetObject get -> !get.overrides().isEmpty();
            case S3Request.HeadObject head -> !head.overrides().isEmpty();
            default -> false;
        };
        if (overrides && !caller.identity().trusted()) {
            throw S3Failure.invalidRequest(
                    "Request specific response headers cannot be used for anonymous GET requests.");
        }
    }

    /// Whoever writes an object with tags, or may do so, writes its tags too.
    static void authoriseTags(Caller caller, S3Request.OnObject request, Bucket bucket, ClusterView view) {
        boolean tags = switch (request) {
            case S3Request.PutObject put -> put.attributes().headers().containsKey(Tags.HEADER);
            case S3Request.CreateMultipartUpload create ->
                create.attributes().headers().containsKey(Tags.HEADER);
            case S3Request.CopyObject copy ->
                !copy.replaceTags() || copy.attributes().headers().containsKey(Tags.HEADER);
            default -> false;
        };
        if (tags && !(caller.identity() instanceof Identity.Node)) {
            refuseDenied(view.policy(bucket), S3Action.PUT_OBJECT_TAGGING.permission(), request.name());
        }
    }

    /// A copy reads its source: asked here, because the target that reads it does so in its own name.
    ///
    /// @param withTags whether it reads the tags too
    static void authoriseSource(Caller caller, ObjectName source, boolean withTags, ClusterView view) {
        if (caller.identity() instanceof Identity.Node) {
            return;
        }
        view.bucket(source.bucket()).map(view::policy).ifPresent(policy -> {
            refuseDenied(policy, S3Action.GET_OBJECT.permission(), source);
            if (withTags) {
                refuseDenied(policy, S3Action.GET_OBJECT_TAGGING.permission(), source);
            }
        });
    }

    /// The same for an object that is read by the native API, which says why. Who does not sign may what the policy
    /// grants to all.
    public static void authoriseRead(Caller caller, ObjectName name, Bucket bucket, ClusterView view) {
        if (caller.identity() instanceof Identity.Node) {
            return;
        }
        var policy = view.policy(bucket);
        if (caller.identity().trusted()) {
            explainDenied(policy, S3Action.GET_OBJECT.permission(), name);
        } else if (!policy.allowsAnonymous(S3Action.GET_OBJECT.permission(), name.bucket(), name.key())) {
            throw new S3Failure(S3Code.ACCESS_DENIED, "Access Denied: the request is not signed.");
        }
    }

    /// The same for a bucket's deletion by the native API.
    public static void authoriseDeletion(String name, ClusterView view) {
        view.bucket(name)
                .map(view::policy)
                .ifPresent(
                        policy -> explainDenied(policy, S3Action.DELETE_BUCKET.permission(), new ObjectName(name, "")));
    }

    private static void refuseDenied(BucketPolicy policy, String action, ObjectName name) {
        if (policy.denies(action, name.bucket(), name.key())) {
            throw denied();
        }
    }

    private static void explainDenied(BucketPolicy policy, String action, ObjectName name) {
        if (policy.denies(action, name.bucket(), name.key())) {
            throw new S3Failure(S3Code.ACCESS_DENIED, "Access Denied: the bucket's policy denies it.");
        }
    }

    static S3Failure denied() {
        return S3Failure.of(S3Code.ACCESS_DENIED);
    }
}
