package dev.sluice.proxy;

import static dev.sluice.proxy.BucketCorsTest.properties;
import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerTokens;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// By a bucket's CORS rules: what browsers are told before a request, and what answers say besides.
class CorsAnswersTest {
    private static final String APP = BucketCorsTest.APP;
    private static final String NOT_ALLOWED =
            "This CORS request is not allowed. This is usually because the evalution of"
                    + " Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not"
                    + " whitelisted by the resource's CORS spec.";
    private static final PeerTokens RELAY =
            new PeerTokens(new NodeId(TrialCluster.PROXY), TrialCluster.CLUSTER_KEY, () -> TrialCluster.NOW);

    private final TrialCluster cluster = TrialCluster.asSeenFrom("target001");

    @AfterEach
    void close() {
        cluster.close();
    }

    private void bucket(String name) {
        cluster.bucket(name, properties(BucketCorsTest.RULES));
    }

    /// As a browser asks: not signed.
    private Response asked(String path, String... headers) {
        return cluster.response(SignedRequest.anonymous("OPTIONS " + path, headers));
    }

    private List<String> extra(RequestHead head) {
        var lines = new ArrayList<String>();
        cluster.extraHeaders(head).forEach((name, value) -> lines.add(name + ": " + value));
        return lines;
    }

    private List<String> extra(String line, String... headers) {
        return extra(SignedRequest.anonymous(line, headers));
    }

    // ---- preflights

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            https://app.example.com | PUT    | -                                    | 200
            https://app.example.com | PUT    | X-Amz-Date,content-type , x-amz-acl  | 200
            https://app.example.com | PUT    | x-other                              | 403
            https://app.example.com | HEAD   | -                                    | 200
            https://app.example.com | DELETE | -                                    | 403
            https://b.example.com   | GET    | -                                    | 200
            https://b.example.com   | GET    | x-amz-date                           | 403
            https://b.example.com   | PUT    | -                                    | 403
            null                    | GET    | -                                    | 200
            """)
    void preflightIsAnsweredByTheRules(String origin, String method, String headers, int status) {
        bucket("b");
        var asks = new ArrayList<>(List.of("Origin", origin, "Access-Control-Request-Method", method));
        if (!headers.equals("-")) {
            asks.addAll(List.of("Access-Control-Request-Headers", headers));
        }
        for (var path : new String[] {"/b", "/b/", "/b/k", "/s3/b/k", "/b/k?X-Amz-Signature=x&partNumber=none"}) {
            var answer = asked(path, asks.toArray(String[]::new));
            assertThat(answer.status()).as(path).isEqualTo(status);
            assertThat(answer.headers().first("Access-Control-Allow-Origin").isPresent())
                    .isEqualTo(status == 200);
            if (status == 200) {
                assertThat(text(answer)).isEmpty();
            } else {
                assertThat(text(answer))
                        .contains(
                                "<Code>AccessForbidden</Code><Message>CORSResponse: " + NOT_ALLOWED + "</Message>",
                                "<Method>" + method + "</Method><ResourceType>"
                                        + (path.contains("k") ? "OBJECT" : "BUCKET"));
            }
        }
    }

    @Test
    void preflightIsToldAllThatTheRuleSays() {
        bucket("b");
        var answer = asked(
                "/k",
                "Host",
                "b.s3.example.com",
                "Origin",
                APP,
                "Access-Control-Request-Method",
                "PUT",
                "Access-Control-Request-Headers",
                "X-Amz-Date, content-type",
                "access-control-request-headers",
                "x-amz-acl");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.headers())
                .hasToString(List.of(
                                "Access-Control-Allow-Origin",
                                APP,
                                "Access-Control-Allow-Credentials",
                                "true",
                                "Access-Control-Allow-Methods",
                                "PUT, GET",
                                "Access-Control-Expose-Headers",
                                "ETag",
                                "Access-Control-Max-Age",
                                "600",
                                "Vary",
                                "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
                                "Access-Control-Allow-Headers",
                                "x-amz-date, content-type, x-amz-acl")
                        .toString());
    }

    @Test
    void preflightThatDoesNotSayWhatItAsksIsABadRequest() {
        bucket("b");
        assertThat(text(asked("/b/k", "Access-Control-Request-Method", "GET")))
                .contains("<Code>BadRequest</Code>"
                        + "<Message>Insufficient information. Origin request header needed.</Message>");
        assertThat(text(asked("/b/k", "Origin", APP)))
                .contains("<Code>BadRequest</Code><Message>Invalid Access-Control-Request-Method: null</Message>");
        for (var method : new String[] {"PATCH", "get", "OPTIONS"}) {
            var answer = asked("/none", "Origin", APP, "Access-Control-Request-Method", method);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(text(answer)).contains("Invalid Access-Control-Request-Method: " + method);
        }
    }

    @Test
    void bucketWithoutRulesOrWithUnreadableOnesAllowsNothing() {
        cluster.bucket("plain");
        cluster.bucket("unreadable", properties("<CORSConfiguration>"));
        for (var path : new String[] {"/plain/k", "/unreadable/k"}) {
            assertThat(text(asked(path, "Origin", APP, "Access-Control-Request-Method", "GET")))
                    .contains("<Code>AccessForbidden</Code>"
                            + "<Message>CORSResponse: CORS is not enabled for this bucket.</Message>"
                            + "<Method>GET</Method><ResourceType>OBJECT</ResourceType>");
            assertThat(extra("GET " + path, "Origin", APP)).isEmpty();
        }
    }

    @Test
    void bucketThatIsNewHereIsAskedForBeforeItIsSaidNotToExist() {
        cluster.control.fallBehind();
        int before = cluster.control.asked();
        for (int i = 0; i < 20; i++) {
            assertThat(outcome(asked("/b/k", "Origin", APP, "Access-Control-Request-Method", "GET")))
                    .isEqualTo("404 NoSuchBucket");
        }
        assertThat(cluster.control.asked() - before).as("once a second").isLessThan(20);
        cluster.control.applyElsewhere(new Command.CreateBucket("b", 42, properties(BucketCorsTest.RULES)));
        var _ = cluster.views.confirmed();
        assertThat(asked("/b/k", "Origin", APP, "Access-Control-Request-Method", "GET")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void otherPathsKnowNoPreflight() {
        bucket("b");
        var asks = new String[] {"Origin", APP, "Access-Control-Request-Method", "GET"};
        assertThat(outcome(asked("/", asks))).isEqualTo("403 AccessDenied");
        assertThat(outcome(cluster.send("OPTIONS /", "", asks))).isEqualTo("405 MethodNotAllowed");
        assertThat(asked("/v1/buckets/b", asks).headers().has("Access-Control-Allow-Origin"))
                .isFalse();
    }

    // ---- other requests

    @Test
    void answerToAnAllowedOriginSaysWhatItsRuleSays() {
        bucket("b");
        var expected = List.of(
                "Access-Control-Allow-Origin: " + APP,
                "Access-Control-Allow-Credentials: true",
                "Access-Control-Allow-Methods: PUT, GET",
                "Access-Control-Expose-Headers: ETag",
                "Access-Control-Max-Age: 600",
                "Vary: Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
        for (var line : new String[] {"GET /b/k", "PUT /b/k?partNumber=none", "GET /b?list-type=2", "GET /b?cors"}) {
            assertThat(extra(line, "Origin", APP)).as(line).isEqualTo(expected);
        }
        assertThat(extra("GET /k", "Origin", APP, "Host", "b.s3.example.com")).isEqualTo(expected);
        assertThat(extra("GET /b/k", "Origin", "https://b.example.com"))
                .containsExactly(
                        "Access-Control-Allow-Origin: *",
                        "Access-Control-Allow-Methods: GET, HEAD",
                        expected.getLast());
    }

    @Test
    void methodThatABrowserAskedForCountsInsteadOfTheRequests() {
        bucket("b");
        assertThat(extra("DELETE /b/k", "Origin", APP)).isEmpty();
        assertThat(extra("DELETE /b/k", "Origin", APP, "Access-Control-Request-Method", "PUT"))
                .isNotEmpty();
        assertThat(extra("GET /b/k", "Origin", APP, "Access-Control-Request-Method", "DELETE"))
                .isEmpty();
    }

    @Test
    void otherAnswersSayNothing() {
        bucket("b");
        assertThat(extra("GET /b/k")).isEmpty();
        assertThat(extra("PUT /b/k", "Origin", "https://b.example.com")).isEmpty();
        for (var line : new String[] {
            "GET /none/k", "GET /", "GET /b!/k", "GET /b/%zz", "GET /v1/buckets/b", "GET /metrics", "GET /ui/b"
        }) {
            assertThat(extra(line, "Origin", APP)).as(line).isEmpty();
        }
        assertThat(extra("OPTIONS /b/k", "Origin", APP, "Access-Control-Request-Method", "PUT"))
                .as("its answer has them already")
                .isEmpty();
    }

    @Test
    void nodeThatRelaysARequestAddsThemAndTheReceiverDoesNot() {
        bucket("b");
        var asked = SignedRequest.anonymous("GET /b/k", "Origin", APP);
        assertThat(extra(asked)).isNotEmpty();
        var token = RELAY.issueHop(TrialCluster.id(1), asked, "1 b");
        assertThat(extra("GET /b/k", "Origin", APP, "x-sluice-hop", "1 b", "x-sluice-hop-token", token))
                .isEmpty();
        assertThat(extra("GET /b/k", "Origin", APP, "x-sluice-hop", "1 b", "x-sluice-hop-token", "too old"))
                .as("after a long upload")
                .isEmpty();
    }
}
