package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.statement;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Action;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The URI; the signature; rights; arguments and what is not served; the bucket; the key.
class OrderOfChecksTest {
    private static final String DENIED = "403 AccessDenied";

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    static Stream<S3Action> deniable() {
        return Stream.of(S3Action.values())
                .filter(action -> !action.permission().isEmpty());
    }

    static Stream<S3Action> refused() {
        return Stream.of(S3Action.values()).filter(action -> action.serving() == S3Action.Serving.REFUSED);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsDoneForThoseWhoDoNotSign(S3Action action) {
        cluster.bucket("b");
        assertThat(outcomeOf(SignedRequest.anonymous(line(action, "b"), headers(action))))
                .isEqualTo(DENIED);
        var refusal = outcomeOf(forged(line(action, "b"), headers(action)));
        assertThat(refusal).isEqualTo(action.method().equals("HEAD") ? DENIED : "403 SignatureDoesNotMatch");
        assertThat(cluster.calls()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("deniable")
    void aDenialIsSaidBeforeWhatIsNotServed(S3Action action) {
        cluster.withPolicy(
                "b", statement("Deny", action.permission(), "b"), statement("Deny", action.permission(), "b/*"));
        assertThat(sent(line(action, "b"), headers(action))).isEqualTo(DENIED);
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatIsNotServedIsSaidBeforeTheBucketIsLookedFor(S3Action action) {
        for (var bucket : new String[] {"none", cluster.bucket("b").name()}) {
            var response = cluster.send(line(action, bucket), "", headers(action));
            assertThat(outcome(response)).isEqualTo("501 NotImplemented");
            assertThat(TrialCluster.text(response)).contains(action.title());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /b/k?partNumber=x",
                "GET /b/k?versionId=3",
                "PUT /b/k?partNumber=1",
                "PUT /b/k?uploadId=u&partNumber=0",
                "GET /b/k?uploadId=",
                "GET /b?max-keys=x",
                "GET /b?uploads&location",
            })
    void argumentsComeBetweenRightsAndTheBucket(String line) {
        assertThat(sent(line)).isEqualTo("400 InvalidArgument");
        cluster.withPolicy("b", statement("Deny", "*", "b"), statement("Deny", "*", "b/*"));
        assertThat(sent(line)).isEqualTo(DENIED);
        assertThat(outcomeOf(SignedRequest.anonymous(line))).isEqualTo(DENIED);
        assertThat(outcomeOf(forged(line))).isEqualTo("403 SignatureDoesNotMatch");
    }

    @Test
    void whatIsMalformedIsSaidAlsoWhileTheControllerIsAway() {
        cluster.bucket("b");
        cluster.control.silence(true);
        assertThat(sent("GET /b?max-keys=x")).isEqualTo("400 InvalidArgument");
        assertThat(sent("GET /?max-buckets=x")).isEqualTo("400 InvalidArgument");
        assertThat(sent("GET /b")).isEqualTo("503 ServiceUnavailable");
        assertThat(sent("GET /none?max-keys=x"))
                .as("who may read it is not known")
                .isEqualTo("503 ServiceUnavailable");
        cluster.control.silence(false);
        cluster.withPolicy("c", statement("Deny", "*", "c"), statement("Deny", "*", "c/*"));
        cluster.control.silence(true);
        assertThat(sent("GET /c?max-keys=x")).isEqualTo(DENIED);
    }

    @Test
    void aUriThatIsNoneComesFirst() {
        assertThat(outcomeOf(SignedRequest.anonymous("GET /b/%zz"))).isEqualTo("400 InvalidURI");
        assertThat(outcomeOf(SignedRequest.anonymous("GET /b/" + "k".repeat(1025))))
                .isEqualTo("400 KeyTooLongError");
        assertThat(outcomeOf(SignedRequest.anonymous("GET /b!/k"))).isEqualTo("400 InvalidBucketName");
    }

    @Test
    void aMethodThatDoesNothingIsSaidToThoseWhoSign() {
        cluster.withPolicy("b", statement("Allow", "s3:GetObject", "b/*"));
        assertThat(outcomeOf(SignedRequest.anonymous("PATCH /b/k"))).isEqualTo(DENIED);
        assertThat(sent("PATCH /b/k")).isEqualTo("405 MethodNotAllowed");
    }

    @Test
    void whoeverMayReadIsToldWhatIsWrong() {
        cluster.withPolicy("b", statement("Allow", "s3:GetObject", "b/public/*"));
        assertThat(outcomeOf(SignedRequest.anonymous("GET /b/public/k?partNumber=x")))
                .isEqualTo("400 InvalidArgument");
        assertThat(outcomeOf(SignedRequest.anonymous("GET /b/private/k?partNumber=x")))
                .isEqualTo(DENIED);
        assertThat(cluster.response(SignedRequest.anonymous("HEAD /b/public/k?response-expires=0"))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aSettingOfNoBucketIsNoSuchBucket() {
        assertThat(sent("GET /none?encryption")).isEqualTo("404 NoSuchBucket");
        assertThat(sent("PUT /none?encryption")).isEqualTo("501 NotImplemented");
    }

    private static String line(S3Action action, String bucket) {
        var path = switch (action.on()) {
            case SERVICE -> "/";
            case BUCKET -> "/" + bucket;
            case OBJECT -> "/" + bucket + "/k";
        };
        var query = action.parameter().equals("uploadId") ? "uploadId=u&partNumber=1" : action.parameter();
        return action.method() + " " + path + (query.isEmpty() ? "" : "?" + query);
    }

    private static String[] headers(S3Action action) {
        return action.serving() == S3Action.Serving.COPIES
                ? new String[] {"x-amz-copy-source", "other/k"}
                : new String[0];
    }

    /// Signed for another body.
    private static RequestHead forged(String line, String... headers) {
        var signed = SignedRequest.of(line, "", headers);
        var changed = Headers.builder();
        signed.headers()
                .forEach((name, value) ->
                        changed.add(name, name.equals("x-amz-content-sha256") ? "UNSIGNED-PAYLOAD" : value));
        return new RequestHead(
                signed.method(),
                signed.path(),
                signed.query(),
                changed.build(),
                0,
                signed.remote(),
                signed.secure(),
                signed.requestId());
    }

    private String sent(String line, String... headers) {
        return said(line, outcome(cluster.send(line, "", headers)));
    }

    private String outcomeOf(RequestHead head) {
        return said(head.method(), outcome(cluster.response(head)));
    }

    /// A HEAD's answer has no document that says the code.
    private static String said(String line, String outcome) {
        return line.startsWith("HEAD") && outcome.equals("403") ? DENIED : outcome;
    }
}
