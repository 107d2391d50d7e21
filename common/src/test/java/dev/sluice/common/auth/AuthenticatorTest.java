package dev.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.S3Failure;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticatorTest {
    static List<SignatureVectors> all() {
        return SignatureVectors.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void botocoresSignatureHolds(SignatureVectors vector) {
        assertThat(vector.authenticate(vector.head()).identity())
                .isEqualTo(new Identity.User(SignatureVectors.KEY.accessKey()));
    }

    @ParameterizedTest
    @MethodSource("all")
    void anotherMethodPathOrSecretIsRefused(SignatureVectors vector) {
        var head = vector.head();
        assertCode(
                "SignatureDoesNotMatch",
                () -> vector.authenticate(SignatureVectors.head("PATCH", head.path(), head.query(), head.headers())));
        assertCode(
                "SignatureDoesNotMatch",
                () -> vector.authenticate(
                        SignatureVectors.head(head.method(), head.path() + "x", head.query(), head.headers())));
        var ring = KeyRing.of(new AccessKey(SignatureVectors.KEY.accessKey(), "another"));
        assertCode(
                "SignatureDoesNotMatch",
                () -> Authenticator.of(() -> ring, "us-east-1", vector::time).authenticateOnObject(head, head.path()));
        assertCode(
                "InvalidAccessKeyId",
                () -> Authenticator.of(() -> KeyRing.EMPTY, "us-east-1", vector::time)
                        .authenticateOnObject(head, head.path()));
    }

    @Test
    void aWrongSignatureIsShownWhatWasSigned() {
        for (var vector : SignatureVectors.of("v4-header")) {
            var head = vector.head();
            var refusal = catchThrowableOfType(
                    S3Failure.class,
                    () -> vector.authenticate(
                            SignatureVectors.head(head.method(), head.path() + "x", head.query(), head.headers())));
            var values = refusal.error().values();
            assertThat(values.get(0)).isEqualTo(SignatureVectors.KEY.accessKey());
            assertThat(values.get(1)).endsWith("\n" + Digests.sha256Hex(Digests.wireBytes(values.get(4))));
            assertThat(head.headers().first("Authorization").orElseThrow()).endsWith("Signature=" + values.get(2));
            assertThat(values.get(3)).startsWith("41 57 53 34 2d 48 4d 41 43");
            assertThat(values.get(4)).startsWith(head.method() + "\n" + head.path() + "x\n");
            assertThat(values.get(5)).startsWith(Digests.spaced(head.method() + "\n/"));
        }
    }

    @Test
    void aWrongClockIsShownTheTime() {
        var vector = SignatureVectors.of("v4-header").getFirst();
        var now = vector.time().plus(RequestTime.WINDOW).plusSeconds(1);
        var refusal = catchThrowableOfType(
                S3Failure.class, () -> SignatureVectors.authenticator(now).authenticate(vector.head()));
        assertThat(refusal.error().values())
                .containsExactly(RequestTime.of(vector.time()).text(), now.toString(), Long.toString(15 * 60 * 1000));
    }

    @Test
    void everySignedHeaderCounts() {
        for (var vector : SignatureVectors.of("v4-header")) {
            for (var name : List.of("Host", "X-Amz-Content-SHA256")) {
                var value = name.equals("Host") ? "other:8080" : "UNSIGNED-PAYLOAD";
                assertCode("SignatureDoesNotMatch", () -> vector.authenticate(vector.replacing(name, value)));
            }
            assertCode(
                    "AccessDenied",
                    () -> vector.authenticate(
                            vector.withHeaders(vector.head().headers().with("x-amz-acl", "public-read"))));
        }
        for (var vector : SignatureVectors.of("v4-query")) {
            assertCode(
                    "AccessDenied",
                    () -> vector.authenticate(
                            vector.withHeaders(vector.head().headers().with("x-amz-copy-source", "/other/secret"))));
        }
        for (var vector : SignatureVectors.of("v2-query")) {
            assertCode(
                    "SignatureDoesNotMatch",
                    () -> vector.authenticate(
                            vector.withHeaders(vector.head().headers().with("x-amz-copy-source", "/other/secret"))));
        }
    }

    @Test
    void theEncodingOnTheWireDoesNotMatterToV4() {
        var vector = find("v4-header", "/bucket/tilde~x");
        var head = vector.head();
        vector.authenticate(SignatureVectors.head(head.method(), "/bucket/tilde%7ex", head.query(), head.headers()));
        vector.authenticate(SignatureVectors.head(head.method(), "/%62ucket%2ftilde~x", head.query(), head.headers()));
        assertCode(
                "InvalidURI",
                () -> vector.authenticate(
                        SignatureVectors.head(head.method(), "/bucket/tilde%7", head.query(), head.headers())));
        assertCode(
                "InvalidURI",
                () -> vector.authenticate(
                        SignatureVectors.head(head.method(), "/bucket/tilde%zzx", head.query(), head.headers())));
    }

    @ParameterizedTest
    @CsvSource({"v4-header,900", "v4-header,-900"})
    void aClockMayBeAQuarterOfAnHourOff(String scheme, int seconds) {
        var vector = SignatureVectors.of(scheme).getFirst();
        var at = vector.time().plusSeconds(seconds);
        assertThat(SignatureVectors.authenticator(at)
                        .authenticate(vector.head())
                        .identity()
                        .trusted())
                .isTrue();
        var later = at.plusSeconds(Integer.signum(seconds));
        assertCode(
                "RequestTimeTooSkewed",
                () -> SignatureVectors.authenticator(later).authenticate(vector.head()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v4-query", "v2-query"})
    void aPresignedUrlExpires(String scheme) {
        var vector = SignatureVectors.of(scheme).getFirst();
        var last = vector.time().plus(Duration.ofHours(1));
        assertThat(SignatureVectors.authenticator(last)
                        .authenticateOnObject(vector.head(), vector.head().path())
                        .identity()
                        .trusted())
                .isTrue();
        assertThatThrownBy(() -> SignatureVectors.authenticator(last.plusSeconds(1))
                        .authenticateOnObject(vector.head(), vector.head().path()))
                .hasMessage("AccessDenied: Request has expired");
    }

    @Test
    void aPresignedUrlFromTheFutureIsRefused() {
        var vector = SignatureVectors.of("v4-query").getFirst();
        assertThatThrownBy(() -> SignatureVectors.authenticator(vector.time().minusSeconds(901))
                        .authenticate(vector.head()))
                .hasMessage("AccessDenied: Request is not valid yet");
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Amz-Date=20261105T123456Z", "prefix=a&prefix=b", "x-amz-signature=00", "X-Amz-%44ate=1"})
    void duplicateParametersOfAPresignedUrlAreRefused(String extra) {
        var vector = SignatureVectors.of("v4-query").getFirst();
        assertCode(
                "AuthorizationQueryParametersError",
                () -> vector.authenticate(vector.withQuery(vector.head().query() + "&" + extra)));
    }

    @ParameterizedTest
    @CsvSource({
        "X-Amz-Expires=3600,X-Amz-Expires=604801",
        "X-Amz-Expires=3600,X-Amz-Expires=-1",
        "X-Amz-Expires=3600,X-Amz-Expires=soon",
        "X-Amz-Expires=3600,x=y",
        "X-Amz-Algorithm=AWS4-HMAC-SHA256,X-Amz-Algorithm=AWS4-HMAC-SHA1",
        "X-Amz-Date=20261105T123456Z,X-Amz-Date=20261305T123456Z",
        "us-east-1,eu-west-1",
        "%2Fs3%2F,%2Fec2%2F",
        "X-Amz-SignedHeaders=host,X-Amz-SignedHeaders=host;host",
    })
    void aMalformedPresignedUrlIsRefused(String part, String instead) {
        var vector = SignatureVectors.of("v4-query").getFirst();
        assertThat(vector.head().query()).contains(part);
        assertCode(
                "AuthorizationQueryParametersError",
                () -> vector.authenticate(vector.withQuery(vector.head().query().replace(part, instead))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "us-east-1|eu-west-1",
                "/s3/|/ec2/",
                "aws4_request|aws5_request",
                "/20261105/|/20261104/",
                "Credential=|Kredential=",
                "Signature=|Credential=",
                "SignedHeaders=host|SignedHeaders=Host",
                "SignedHeaders=host|SignedHeaders=host;host",
                "AKIAIOSFODNN7EXAMPLE/20261105/us-east-1/s3/aws4_request|AKIA",
            })
    void aMalformedHeaderIsRefused(String part, String instead) {
        var vector = SignatureVectors.of("v4-header").getFirst();
        var authorization = vector.head().headers().first("Authorization").orElseThrow();
        assertThat(authorization).contains(part);
        assertCode(
                "AuthorizationHeaderMalformed",
                () -> vector.authenticate(vector.replacing("Authorization", authorization.replace(part, instead))));
    }

    @Test
    void theWrongRegionIsToldTheRightOneUnlessAnyIsTaken() {
        var vector = SignatureVectors.of("v4-header").getFirst();
        var ring = KeyRing.of(SignatureVectors.KEY);
        assertThatThrownBy(() ->
                        Authenticator.of(() -> ring, "eu-north-1", vector::time).authenticate(vector.head()))
                .hasMessageStartingWith("AuthorizationHeaderMalformed")
                .hasMessageContaining("the region 'us-east-1' is wrong; expecting 'eu-north-1'");
        assertThat(Authenticator.of(() -> ring, "*", vector::time)
                        .authenticate(vector.head())
                        .identity()
                        .trusted())
                .isTrue();
    }

    @Test
    void whatIsMissingIsNamed() {
        var vector = SignatureVectors.of("v4-header").getFirst();
        // older curls leave it out and sign the hash of nothing
        assertCode("SignatureDoesNotMatch", () -> vector.authenticate(vector.without("X-Amz-Content-SHA256")));
        assertCode("AccessDenied", () -> vector.authenticate(vector.without("X-Amz-Date")));
        var authorization = vector.head().headers().first("Authorization").orElseThrow();
        assertCode(
                "AccessDenied",
                () -> vector.authenticate(vector.replacing("Authorization", authorization.replace("=host;", "="))));
    }

    @Test
    void theQueryIsSignedInWhateverOrderAndEncodingItComes() {
        var vector = SignatureVectors.of("v4-header").stream()
                .filter(each -> each.head().query().startsWith("list-type=2"))
                .findFirst()
                .orElseThrow();
        assertThat(vector.head().query()).contains("prefix=a%20b%2F%C3%BC%2B");
        for (var query : List.of(
                "prefix=a+b/%c3%bc%2B&delimiter=/&max-keys=3&list-type=2&encoding-type=url",
                "&list-type=%32&&prefix=a%20b/\u00c3\u00bc%2B&delimiter=/&max-keys=3&encoding-type=url")) {
            assertThat(vector.authenticate(vector.withQuery(query)).identity().trusted())
                    .isTrue();
        }
        assertCode(
                "SignatureDoesNotMatch",
                () -> vector.authenticate(vector.withQuery(vector.head().query().replace("max-keys=3", "max-keys=4"))));
        assertCode(
                "SignatureDoesNotMatch",
                () -> vector.authenticate(vector.withQuery(vector.head().query() + "&policy")));
        assertCode("InvalidURI", () -> vector.authenticate(vector.withQuery("prefix=%")));
    }

    @Test
    void v2CoversTheParametersThatNameAnotherResource() {
        var vector = SignatureVectors.of("v2-query").getFirst();
        for (var extra : List.of("uploadId=x", "policy", "response-content-type=text/html", "delete", "partNumber=1")) {
            assertCode(
                    "SignatureDoesNotMatch",
                    () -> vector.authenticate(vector.withQuery(vector.head().query() + "&" + extra)));
        }
        assertCode(
                "InvalidArgument",
                () -> vector.authenticate(vector.withQuery(vector.head().query() + "&Expires=9999999999")));
    }

    @Test
    void v2IsTakenInPresignedUrlsOfObjectsOnly() {
        var header = SignatureVectors.of("v2-header").getFirst();
        assertCode("InvalidRequest", () -> header.authenticate(header.head()));
        var query = SignatureVectors.of("v2-query").getFirst();
        assertThat(query.authenticate(query.head()).identity().trusted()).isTrue();
        assertCode(
                "InvalidRequest",
                () -> SignatureVectors.authenticator(query.time()).authenticate(query.head()));
    }

    @Test
    void v2SignsThePathWithTheBucketAlsoWhereTheHostNamesIt() {
        var vector = SignatureVectors.of("v2-query").getFirst();
        var head = vector.head();
        var inHost =
                SignatureVectors.head("GET", "/plain.tar", head.query(), Headers.of("Host", "bucket.s3.example.com"));
        assertThat(SignatureVectors.authenticator(vector.time())
                        .authenticateOnObject(inHost, "/bucket/plain.tar")
                        .identity()
                        .trusted())
                .isTrue();
        assertCode("SignatureDoesNotMatch", () -> vector.authenticate(inHost));
    }

    @Test
    void v2HeadersInAQueryCannotHideLines() {
        var vector = SignatureVectors.of("v2-query").getFirst();
        assertCode(
                "InvalidArgument",
                () -> vector.authenticate(
                        vector.withQuery(vector.head().query() + "&x-amz-meta-a=1%0Ax-amz-acl:private")));
    }

    @Test
    void v2UrlIsGoodForSevenDaysAtMost() {
        var vector = SignatureVectors.of("v2-query").getFirst();
        var latest = vector.time().plus(Duration.ofHours(1)).minus(Duration.ofDays(7));
        assertThat(SignatureVectors.authenticator(latest)
                        .authenticateOnObject(vector.head(), vector.head().path())
                        .identity()
                        .trusted())
                .isTrue();
        assertThatThrownBy(() -> SignatureVectors.authenticator(latest.minusSeconds(1))
                        .authenticateOnObject(vector.head(), vector.head().path()))
                .hasMessage("AccessDenied: Expires must be at most seven days from now");
    }

    @Test
    void headerNamesCannotHideLines() {
        var vector = SignatureVectors.of("v4-query").getFirst();
        for (var names : List.of("host%0Ax", "host%3Ax", "host%3BHost", "host%3B", "")) {
            assertCode(
                    "AuthorizationQueryParametersError",
                    () -> vector.authenticate(vector.withQuery(
                            vector.head().query().replace("SignedHeaders=host", "SignedHeaders=" + names))));
        }
    }

    @Test
    void manyThreadsVerifyAtOnce() {
        var vectors = SignatureVectors.all();
        var authenticator = SignatureVectors.authenticator(vectors.getFirst().time());
        assertThat(vectors.parallelStream()
                        .flatMap(vector -> Stream.generate(() -> vector).limit(20))
                        .filter(vector -> authenticator
                                .authenticateOnObject(
                                        vector.head(), vector.head().path())
                                .identity()
                                .trusted()))
                .hasSize(vectors.size() * 20);
    }

    @Test
    void aKeyRingStaysSmallWhateverScopesAreUsed() {
        var ring = KeyRing.of(SignatureVectors.KEY);
        for (int i = 0; i < 5_000; i++) {
            var scope = new KeyRing.Scope(SignatureVectors.KEY.accessKey(), "20261105", "region-" + i);
            var key = ring.signingKey(scope).orElseThrow();
            ring.remember(scope, key);
            assertThat(ring.signingKey(scope)).containsSame(key);
        }
        assertThat(ring.remembered()).isLessThanOrEqualTo(512);
        assertThat(ring.signingKey(new KeyRing.Scope("nobody", "20261105", "us-east-1")))
                .isEmpty();
    }

    @Test
    void secretsStayOutOfText() {
        assertThat(SignatureVectors.KEY.toString()).doesNotContain(SignatureVectors.KEY.secretKey());
        assertThatThrownBy(() -> KeyRing.of(List.of(SignatureVectors.KEY, SignatureVectors.KEY)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining(SignatureVectors.KEY.secretKey());
    }

    @Test
    void oneMechanismOnceOnly() {
        var header = SignatureVectors.of("v4-header").getFirst();
        var query = SignatureVectors.of("v4-query").getFirst().head().query();
        assertCode("InvalidArgument", () -> header.authenticate(header.withQuery(query)));
        for (var name : List.of("authorization", "HOST", "X-Amz-Date", "x-amz-content-sha256")) {
            var value = header.head().headers().first(name).orElseThrow();
            assertCode(
                    "InvalidArgument",
                    () -> header.authenticate(
                            header.withHeaders(header.head().headers().with(name, value))));
        }
        assertCode("InvalidArgument", () -> header.authenticate(header.replacing("Authorization", "Bearer x")));
    }

    @Test
    void withoutCredentialsTheCallerIsAnonymous() {
        var authenticator = SignatureVectors.authenticator(
                SignatureVectors.of("v4-header").getFirst().time());
        for (var headers : List.of(Headers.of("Host", "h"), Headers.of("Host", "h", "Authorization", ""))) {
            var caller =
                    authenticator.authenticate(SignatureVectors.head("GET", "/bucket/key", "versionId=1", headers));
            assertThat(caller).isEqualTo(new Caller(new Identity.Anonymous(), new BodyTerms.Plain()));
            assertThat(caller.identity().trusted()).isFalse();
        }
    }

    @Test
    void anEmptyAuthorizationHeaderIsNoSecondMechanism() {
        var query = SignatureVectors.of("v4-query").getFirst();
        query.authenticate(query.withHeaders(query.head().headers().with("Authorization", "")));
    }

    @Test
    void lettingAnyoneInStillTellsTheFraming() {
        var open = Authenticator.lettingAnyoneIn();
        assertThat(terms(open, "UNSIGNED-PAYLOAD")).isEqualTo(new BodyTerms.Plain());
        assertThat(terms(open, "ab".repeat(32))).isEqualTo(new BodyTerms.Hashed("ab".repeat(32)));
        assertThat(terms(open, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")).isEqualTo(new BodyTerms.UnverifiedChunks(false));
        assertThat(terms(open, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"))
                .isEqualTo(new BodyTerms.UnverifiedChunks(true));
        assertThat(terms(open, "STREAMING-UNSIGNED-PAYLOAD-TRAILER"))
                .isEqualTo(new BodyTerms.UnsignedChunksWithTrailer());
        assertCode("InvalidArgument", () -> terms(open, "AB".repeat(32)));
        assertCode("NotImplemented", () -> terms(open, "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"));
    }

    @Test
    void chunkedContentEncodingIsEnoughWhereTheLengthIsDeclared() {
        var headers = Headers.of(
                "Content-Encoding", "gzip, aws-chunked", "x-amz-decoded-content-length", "3", "x-amz-trailer", "x");
        assertThat(Authenticator.lettingAnyoneIn()
                        .authenticate(SignatureVectors.head("PUT", "/b/k", "", headers))
                        .body())
                .isEqualTo(new BodyTerms.UnverifiedChunks(true));
    }

    private static BodyTerms terms(Authenticator authenticator, String contentSha256) {
        return authenticator
                .authenticate(SignatureVectors.head(
                        "PUT",
                        "/b/k",
                        "",
                        Headers.of("x-amz-content-sha256", contentSha256, "Authorization", "rubbish")))
                .body();
    }

    private static SignatureVectors find(String scheme, String path) {
        return SignatureVectors.of(scheme).stream()
                .filter(each -> each.head().path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    private static void assertCode(String code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        var failure = catchThrowableOfType(S3Failure.class, call);
        assertThat(failure).as("refused with " + code).isNotNull();
        assertThat(failure.error().code()).isEqualTo(code);
    }
}
