package dev.sluice.common.auth;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Finds out who sent a request by whichever of S3's signatures it bears. Never blocks, keeps no state of its own, and
/// may be used by all threads.
public final class Authenticator {
    private static final List<String> ONCE_ONLY =
            List.of("Authorization", "Host", "Date", "x-amz-date", "x-amz-content-sha256");

    private final Supplier<KeyRing> keys;
    private final boolean required;
    private final InstantSource clock;
    private final SignatureV4 v4;
    private final SignatureV2 v2 = new SignatureV2();

    private Authenticator(Supplier<KeyRing> keys, String region, boolean required, InstantSource clock) {
        this.keys = keys;
        this.required = required;
        this.clock = clock;
        this.v4 = new SignatureV4(region);
    }

    /// @param keys asked once per request: the keys of the current cluster state
    /// @param region the region that clients must sign for, or `*` for any
    public static Authenticator of(Supplier<KeyRing> keys, String region, InstantSource clock) {
        return new Authenticator(keys, region, true, clock);
    }

    /// Takes any signature or none; how the body is framed and its promised hash still hold.
    public static Authenticator lettingAnyoneIn() {
        return new Authenticator(() -> KeyRing.EMPTY, "*", false, InstantSource.system());
    }

    /// @return the caller, [Identity.Anonymous] when the request bears no credentials at all (an empty Authorization
    ///     header has none): what that may do is for the router to decide
    /// @throws dev.sluice.common.s3.S3Failure when it bears credentials that do not hold
    public Caller authenticate(RequestHead head) {
        return authenticate(head, Optional.empty());
    }

    /// The same for what concerns an object, the only requests that a URL presigned with SigV2 may make.
    ///
    /// @param path with the bucket, also when the Host header names it
    public Caller authenticateOnObject(RequestHead head, String path) {
        return authenticate(head, Optional.of(path));
    }

    private Caller authenticate(RequestHead head, Optional<String> objectPath) {
        if (!required) {
            return new Caller(new Identity.Anyone(), BodyTerms.unverified(head));
        }
        refuseRepeated(head);
        var query = SignedQuery.of(head.query());
        var authorization = head.headers().first("Authorization").filter(value -> !value.isBlank());
        boolean inQueryV4 =
                query.has("X-Amz-Algorithm") || query.has("X-Amz-Credential") || query.has("X-Amz-Signature");
        boolean inQueryV2 = query.has("AWSAccessKeyId") || query.has("Signature");
        if ((authorization.isPresent() ? 1 : 0) + (inQueryV4 ? 1 : 0) + (inQueryV2 ? 1 : 0) > 1) {
            throw Refusals.invalidArgument("Only one auth mechanism allowed; only the X-Amz-Algorithm query"
                    + " parameter, Signature query string parameter or the Authorization header should be specified");
        }
        if (authorization.isPresent()) {
            return byHeader(head, authorization.get(), query);
        }
        if (inQueryV4) {
            return v4.verifyQuery(head, query, keys.get(), clock.instant());
        }
        if (inQueryV2) {
            var path = objectPath.orElseThrow(Authenticator::onlyV4);
            return v2.verifyQuery(head, path, query, keys.get(), clock.instant());
        }
        return new Caller(new Identity.Anonymous(), BodyTerms.unverified(head));
    }

    private Caller byHeader(RequestHead head, String authorization, SignedQuery query) {
        if (authorization.startsWith(SignatureV4.ALGORITHM + " ")) {
            return v4.verifyHeader(head, authorization, query, keys.get(), clock.instant());
        }
        if (authorization.startsWith(SignatureV2.PREFIX)) {
            throw onlyV4();
        }
        throw Refusals.invalidArgument("Unsupported Authorization Type");
    }

    private static S3Failure onlyV4() {
        return new S3Failure(
                S3Code.INVALID_REQUEST,
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256."
                        + " Signature Version 2 is taken in presigned URLs of objects only.");
    }

    /// Two values would let the signature be over one and the effect come from the other.
    private static void refuseRepeated(RequestHead head) {
        var seen = new boolean[ONCE_ONLY.size()];
        head.headers().forEach((name, _) -> {
            for (int i = 0; i < seen.length; i++) {
                if (name.equalsIgnoreCase(ONCE_ONLY.get(i))) {
                    if (seen[i]) {
                        throw Refusals.invalidArgument("The header " + ONCE_ONLY.get(i) + " occurs more than once");
                    }
                    seen[i] = true;
                }
            }
        });
    }
}
