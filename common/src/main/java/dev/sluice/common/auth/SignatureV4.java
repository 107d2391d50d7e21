package dev.sluice.common.auth;

import dev.sluice.common.auth.KeyRing.Scope;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/// AWS Signature Version 4, in the Authorization header or in the query of a presigned URL. Source: Amazon S3 API
/// reference, "Authenticating Requests (AWS Signature Version 4)".
final class SignatureV4 {
    /// What is signed where the header is missing, as older curls leave it out: such a request has no body.
    static final String EMPTY_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final long LONGEST_EXPIRY = Duration.ofDays(7).toSeconds();

    private final String region;

    /// @param region the one that scopes must name, or `*`
    SignatureV4(String region) {
        this.region = region;
    }

    /// What a client presents, from the header or the query.
    private record Claim(Scope scope, List<String> signedHeaders, String signature, RequestTime time, String payload) {}

    Caller verifyHeader(RequestHead head, String authorization, SignedQuery query, KeyRing keys, Instant now) {
        var fields = authorizationFields(authorization);
        var headers = head.headers();
        var time = headers.first("x-amz-date")
                .or(() -> headers.first("Date"))
                .flatMap(RequestTime::ofAny)
                .orElseThrow(
                        () -> Refusals.accessDenied("AWS authentication requires a valid Date or x-amz-date header"));
        var scope = scope(fields.credential(), time, Refusals::malformedHeader);
        var payload = headers.first("x-amz-content-sha256").orElse(EMPTY_BODY);
        if (time.skewed(now)) {
            throw Refusals.skewed(time, now);
        }
        var signed = signedHeaders(fields.signedHeaders(), Refusals::malformedHeader);
        return verify(head, query, keys, new Claim(scope, signed, fields.signature(), time, payload));
    }

    Caller verifyQuery(RequestHead head, SignedQuery query, KeyRing keys, Instant now) {
        query.refuseDuplicates(() -> Refusals.malformedQuery("A query parameter occurs more than once"));
        if (!required(query, "X-Amz-Algorithm").equals(ALGORITHM)) {
            throw Refusals.malformedQuery("X-Amz-Algorithm only supports \"" + ALGORITHM + "\"");
        }
        var time = RequestTime.ofBasic(required(query, "X-Amz-Date"))
                .orElseThrow(() -> Refusals.malformedQuery(
                        "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\""));
        var scope = scope(
                required(query, "X-Amz-Credential"),
                time,
                what -> Refusals.malformedQuery("Error parsing the X-Amz-Credential parameter; " + what));
        var expires = Duration.ofSeconds(expirySeconds(required(query, "X-Amz-Expires")));
        if (time.instant().isAfter(now.plus(RequestTime.WINDOW))) {
            throw Refusals.accessDenied("Request is not valid yet");
        }
        if (now.isAfter(time.instant().plus(expires))) {
            throw Refusals.accessDenied("Request has expired");
        }
        var signed = signedHeaders(
                required(query, "X-Amz-SignedHeaders"),
                what -> Refusals.malformedQuery("Error parsing the X-Amz-SignedHeaders parameter; " + what));
        var payload = query.value("X-Amz-Content-Sha256")
                .or(() -> head.headers().first("x-amz-content-sha256"))
                .orElse(BodyTerms.UNSIGNED_PAYLOAD);
        var signature = required(query, "X-Amz-Signature");
        return verify(head, query, keys, new Claim(scope, signed, signature, time, payload));
    }

    private static Caller verify(RequestHead head, SignedQuery query, KeyRing keys, Claim claim) {
        refuseUnsigned(head.headers(), claim.signedHeaders());
        var scope = claim.scope();
        var key = keys.signingKey(scope).orElseThrow(() -> Refusals.unknownKey(scope.accessKey()));
        var canonical = canonicalRequest(head, query, claim);
        var toSign = ALGORITHM + "\n" + claim.time().text() + "\n" + scope.text() + "\n"
                + Digests.sha256Hex(Digests.wireBytes(canonical));
        if (!Digests.equal(key.hex(toSign), claim.signature())) {
            throw canonical.length() > Refusals.LARGEST_SHOWN
                    ? Refusals.wrongSignature(scope.accessKey(), toSign, claim.signature(), Digests.spaced(toSign))
                    : Refusals.wrongSignature(
                            scope.accessKey(),
                            toSign,
                            claim.signature(),
                            Digests.spaced(toSign),
                            canonical,
                            Digests.spaced(canonical));
        }
        keys.remember(scope, key);
        var terms = BodyTerms.of(
                head,
                claim.payload(),
                trailer -> new BodyTerms.SignedChunks(
                        claim.signature(), key, scope.text(), claim.time().text(), trailer));
        return new Caller(new Identity.User(scope.accessKey()), terms);
    }

    private static String canonicalRequest(RequestHead head, SignedQuery query, Claim claim) {
        var names = new ArrayList<String>();
        var values = new ArrayList<String>();
        head.headers().forEach((name, value) -> {
            names.add(name);
            values.add(value);
        });
        var out = new StringBuilder(768);
        out.append(head.method()).append('\n');
        UriEncoding.appendPath(out, head.path());
        out.append('\n');
        query.appendCanonical(out);
        out.append('\n');
        for (var signed : claim.signedHeaders()) {
            out.append(signed).append(':');
            boolean first = true;
            for (int i = 0; i < names.size(); i++) {
                if (names.get(i).equalsIgnoreCase(signed)) {
                    if (!first) {
                        out.append(',');
                    }
                    appendTrimmed(out, values.get(i));
                    first = false;
                }
            }
            out.append('\n');
        }
        out.append('\n');
        for (int i = 0; i < claim.signedHeaders().size(); i++) {
            if (i > 0) {
                out.append(';');
            }
            out.append(claim.signedHeaders().get(i));
        }
        return out.append('\n').append(claim.payload()).toString();
    }

    /// Without the space around it, and with runs of space inside as one.
    private static void appendTrimmed(StringBuilder out, String value) {
        if (isTrimmed(value)) {
            out.append(value);
            return;
        }
        boolean any = false;
        boolean space = false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == ' ' || c == '\t') {
                space = true;
            } else {
                if (space && any) {
                    out.append(' ');
                }
                out.append(c);
                any = true;
                space = false;
            }
        }
    }

    private static boolean isTrimmed(String value) {
        return value.indexOf('\t') < 0
                && !value.contains("  ")
                && (value.isEmpty() || (value.charAt(0) != ' ' && value.charAt(value.length() - 1) != ' '));
    }

    /// Every x-amz-* header changes what the request means, so a man in the middle must not be able to add one.
    private static void refuseUnsigned(Headers headers, List<String> signed) {
        if (!signed.contains("host")) {
            throw Refusals.accessDenied("The Host header must be among the signed headers");
        }
        headers.forEach((name, _) -> {
            if (name.regionMatches(true, 0, "x-amz-", 0, 6) && !signed.contains(name.toLowerCase(Locale.ROOT))) {
                throw Refusals.accessDenied("There were headers present in the request which were not signed: " + name);
            }
        });
    }

    private record AuthorizationFields(String credential, String signedHeaders, String signature) {}

    private static AuthorizationFields authorizationFields(String authorization) {
        Optional<String> credential = Optional.empty();
        Optional<String> signedHeaders = Optional.empty();
        Optional<String> signature = Optional.empty();
        for (var field : authorization.substring(ALGORITHM.length()).split(",", -1)) {
            var trimmed = field.strip();
            int equals = trimmed.indexOf('=');
            var value = Optional.of(trimmed.substring(equals + 1));
            switch (equals < 0 ? "" : trimmed.substring(0, equals)) {
                case "Credential" -> credential = onlyOne(credential, value);
                case "SignedHeaders" -> signedHeaders = onlyOne(signedHeaders, value);
                case "Signature" -> signature = onlyOne(signature, value);
                default -> throw Refusals.malformedHeader("it has a part that is none of its three fields");
            }
        }
        return new AuthorizationFields(
                credential.orElseThrow(() -> Refusals.malformedHeader("it is missing Credential")),
                signedHeaders.orElseThrow(() -> Refusals.malformedHeader("it is missing SignedHeaders")),
                signature.orElseThrow(() -> Refusals.malformedHeader("it is missing Signature")));
    }

    private static Optional<String> onlyOne(Optional<String> before, Optional<String> value) {
        if (before.isPresent()) {
            throw Refusals.malformedHeader("one of its fields occurs twice");
        }
        return value;
    }

    private Scope scope(String credential, RequestTime time, Function<String, S3Failure> refusal) {
        int terminal = credential.lastIndexOf('/');
        int service = credential.lastIndexOf('/', terminal - 1);
        int regionAt = credential.lastIndexOf('/', service - 1);
        int date = credential.lastIndexOf('/', regionAt - 1);
        if (date <= 0) {
            throw refusal.apply("the Credential is mal-formed; expecting"
                    + " \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"");
        }
        var given = new Scope(
                credential.substring(0, date),
                credential.substring(date + 1, regionAt),
                credential.substring(regionAt + 1, service));
        if (!credential.substring(terminal + 1).equals("aws4_request")) {
            throw refusal.apply("the Credential does not end in \"aws4_request\"");
        }
        if (!credential.substring(service + 1, terminal).equals("s3")) {
            throw refusal.apply("incorrect service \"" + credential.substring(service + 1, terminal)
                    + "\"; this endpoint belongs to \"s3\"");
        }
        if (!region.equals("*") && !given.region().equals(region)) {
            throw Refusals.wrongRegion(
                    refusal.apply("the region '" + given.region() + "' is wrong; expecting '" + region + "'"), region);
        }
        if (!given.date().equals(time.date())) {
            throw refusal.apply("invalid credential date \"" + given.date()
                    + "\"; it is not the same as the request's: \"" + time.date() + "\"");
        }
        return given;
    }

    private static List<String> signedHeaders(String list, Function<String, S3Failure> refusal) {
        var names = List.of(list.split(";", -1));
        if (new HashSet<>(names).size() != names.size() || !names.stream().allMatch(SignatureV4::isHeaderName)) {
            throw refusal.apply("SignedHeaders must be names in lower case, each once, separated by ';'");
        }
        return names;
    }

    /// A name with a line feed or colon in it could make one request's canonical text look like another's.
    private static boolean isHeaderName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= 0x7F || c == ':' || (c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    private static long expirySeconds(String text) {
        long seconds;
        try {
            seconds = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Refusals.malformedQuery("X-Amz-Expires should be a number");
        }
        if (seconds < 0) {
            throw Refusals.malformedQuery("X-Amz-Expires must be non-negative");
        }
        if (seconds > LONGEST_EXPIRY) {
            throw Refusals.malformedQuery(
                    "X-Amz-Expires must be less than a week (in seconds); that is, it must be at most "
                            + LONGEST_EXPIRY);
        }
        return seconds;
    }

    private static String required(SignedQuery query, String name) {
        return query.value(name)
                .orElseThrow(() -> Refusals.malformedQuery(
                        "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential,"
                                + " X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters; "
                                + name + " is missing"));
    }
}
