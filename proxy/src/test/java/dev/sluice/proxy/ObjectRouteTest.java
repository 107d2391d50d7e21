package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.RoutePreference;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.proxy.gateway.RelayMark;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Where a request on an object goes: served here, handed over, relayed or redirected.
class ObjectRouteTest {
    private static final String PYTORCH = "aiobotocore/2.13 md/Botocore#1.34";

    /// The header decides, else the bucket, else the user agent.
    @ParameterizedTest
    @CsvSource(textBlock = """
            GET,  aws-sdk-go/1.44,            -,        -,        redirect
            GET,  duckdb/v1.1,                -,        -,        redirect
            GET,  x aiobotocore/2.13,         -,        -,        redirect
            GET,  MinIO (Linux) minio-py/7.2, -,        -,        redirect
            GET,  aws-sdk-go-v2/1.30,         -,        -,        relay
            GET,  Boto3/1.34,                 -,        -,        relay
            GET,  curl/8.5,                   -,        -,        relay
            GET,  python-requests/2.31,       -,        -,        relay
            GET,  curl/8.5,                   -,        redirect, redirect
            GET,  duckdb/v1.1,                -,        relay,    relay
            GET,  curl/8.5,                   redirect, relay,    redirect
            GET,  duckdb/v1.1,                relay,    redirect, relay
            HEAD, duckdb/v1.1,                redirect, redirect, relay
            PUT,  duckdb/v1.1,                redirect, redirect, relay
            DELETE, duckdb/v1.1,              redirect, redirect, relay
            """)
    void aRequestIsRedirectedOrRelayed(String method, String agent, String header, String property, String way) {
        try (var cluster = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            cluster.bucket("shards", property.equals("-") ? routed(Optional.empty()) : routed(preference(property)));
            var line = method + " /shards/a?x-id=GetObject";
            var request = header.equals("-")
                    ? SignedRequest.of(line, "", "User-Agent", agent)
                    : SignedRequest.of(line, "", "User-Agent", agent, "x-sluice-route", header);
            var answer = cluster.answer(request);
            assertThat(answer instanceof Response response && response.status() == 307 ? "redirect" : "relay")
                    .isEqualTo(way);
            assertThat(answer instanceof Forward).isEqualTo(way.equals("relay"));
        }
    }

    /// A browser does not show a page what another origin answers that it was redirected to.
    @Test
    void requestWithAnOriginIsRelayedUnlessItAsksForARedirect() {
        try (var cluster = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            cluster.bucket("shards", routed(preference("redirect")));
            cluster.backed("cached");
            for (var line : List.of("GET /shards/a", "GET /cached/a")) {
                assertThat(cluster.answer(SignedRequest.of(line, "", "User-Agent", PYTORCH)))
                        .as(line)
                        .isInstanceOfSatisfying(
                                Response.class,
                                response -> assertThat(response.status()).isEqualTo(307));
                assertThat(cluster.answer(
                                SignedRequest.of(line, "", "User-Agent", PYTORCH, "Origin", "https://example.com")))
                        .isInstanceOf(Forward.class);
                assertThat(cluster.answer(SignedRequest.of(
                                line, "", "Origin", "https://example.com", "x-sluice-route", "redirect")))
                        .isInstanceOf(Response.class);
            }
        }
    }

    @Test
    void aRedirectLeadsToThePrimaryWithATokenThatItTakesForASignature() {
        try (var proxy = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            var bucket = proxy.bucket("shards");
            var key = proxy.keyOf(bucket, "target002");
            var answer = (Response)
                    proxy.answer(SignedRequest.of("GET /shards/" + key + "?partNumber=1", "", "User-Agent", PYTORCH));
            var location = answer.headers().first("Location").orElseThrow();
            assertThat(location).startsWith("http://target002:8080/shards/" + key + "?partNumber=1&x-sluice-token=");
            try (var target = TrialCluster.asSeenFrom("target002")) {
                target.bucket("shards");
                var followed = SignedRequest.anonymous(
                        "GET " + location.substring("http://target002:8080".length()),
                        "Authorization",
                        "for the proxy");
                assertThat(text(target.response(followed))).isEqualTo("target002");
            }
        }
    }

    @Test
    void theBucketOfTheHostIsInTheRedirectsPath() {
        try (var proxy = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            var key = proxy.keyOf(proxy.bucket("shards"), "target002");
            var answer = (Response) proxy.answer(
                    SignedRequest.of("GET /" + key, "", "User-Agent", PYTORCH, "Host", "shards.s3.example.com"));
            assertThat(answer.headers().first("Location").orElseThrow())
                    .startsWith("http://target002:8080/shards/" + key + "?x-sluice-token=");
        }
    }

    @Test
    void aNodeThatReadsAnotherBucketOutOfARelayedRequestRefusesIt() {
        try (var proxy = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            proxy.bucket("shards");
            var relayed = (Forward) proxy.answer(SignedRequest.of("GET /a", "", "Host", "shards.s3.example.com"));
            assertThat(relayed.route().now().extra().first("x-sluice-hop").orElseThrow())
                    .endsWith(" shards");
        }
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var key = cluster.keyOf(cluster.bucket("shards"), "target001");
            cluster.bucket("other");
            assertThat(outcome(relayed(cluster, "GET /shards/" + key, "1 shards")))
                    .isEqualTo("200");
            for (var line : new String[] {
                "GET /shards/" + key, "DELETE /other", "GET /v1/buckets", "DELETE /v1/buckets/shards", "GET /metrics"
            }) {
                assertThat(outcome(relayed(cluster, line, "1 another")))
                        .as(line)
                        .isEqualTo("503 ServiceUnavailable");
            }
            assertThat(cluster.known("shards")).isPresent();
            assertThat(cluster.known("other")).isPresent();
        }
    }

    @Test
    void targetsInTheSameProcessAreCalled() {
        try (var cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY)) {
            var bucket = cluster.bucket("shards");
            for (var target : new String[] {"target001", "target002", "target003"}) {
                var key = cluster.keyOf(bucket, target);
                assertThat(text(cluster.send("GET /shards/" + key, ""))).isEqualTo(target);
                assertThat(text(cluster.send("GET /shards/" + key, "", "x-sluice-route", "redirect")))
                        .as("nothing is gained by a second connection, to a port that may not be reached")
                        .isEqualTo(target);
            }
        }
    }

    @Test
    void aRedirectToThisMachineLeadsToTheNameByWhichTheClientCame() {
        try (var proxy = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            var bucket = proxy.bucket("shards");
            for (int number = 1; number <= 3; number++) {
                var id = TrialCluster.id(number);
                proxy.control.apply(new Command.Join(new Node(id, Role.TARGET, "http://0.0.0.0:818" + number, "", 1)));
            }
            var key = proxy.keyOf(bucket, "target002");
            for (var host : List.of("train01:8080", "shards.s3.example.com:8080")) {
                var path = host.startsWith("shards") ? "/" + key : "/shards/" + key;
                var answer = (Response)
                        proxy.answer(SignedRequest.of("GET " + path, "", "User-Agent", PYTORCH, "Host", host));
                assertThat(answer.headers().first("Location").orElseThrow())
                        .startsWith("http://%s:8182/shards/%s?x-sluice-token="
                                .formatted(host.startsWith("shards") ? "s3.example.com" : "train01", key));
            }
        }
    }

    private static final PeerTokens RELAY = relay(TrialCluster.CLUSTER_KEY);

    private static PeerTokens relay(byte[] clusterKey) {
        return new PeerTokens(new NodeId(TrialCluster.PROXY), clusterKey, () -> TrialCluster.NOW);
    }

    /// As it comes to target001 from a node.
    private static Response relayed(TrialCluster cluster, String line, String hop, String... headers) {
        var token = RELAY.issueHop(TrialCluster.id(1), SignedRequest.of(line, ""), hop);
        return cluster.send(line, "", hop(hop, token, headers));
    }

    private static String[] hop(String hop, String token, String... headers) {
        var all = new ArrayList<>(List.of("x-sluice-hop", hop, "x-sluice-hop-token", token));
        all.addAll(List.of(headers));
        return all.toArray(String[]::new);
    }

    /// A client would have its requests parked where nobody knows the key, or read as another bucket's.
    @Test
    void hopThatNoNodeHasMadeForTheRequestIsIgnored() {
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var bucket = cluster.bucket(
                    "replicated", BucketProperties.defaults(Optional.empty()).withReplicas(2));
            var line = "GET /replicated/" + cluster.replicaKeyOf(bucket, "target002");
            var hop = "4611686018427387904 replicated";
            var head = SignedRequest.of(line, "");
            var here = TrialCluster.id(1);
            assertThat(text(cluster.send(line, "", "x-sluice-hop", hop))).isEqualTo("target002");
            var stranger = relay("the key of another".getBytes(StandardCharsets.UTF_8));
            for (var token : List.of(
                    "",
                    "x",
                    stranger.issueHop(here, head, hop),
                    RELAY.issueHop(TrialCluster.id(2), head, hop),
                    RELAY.issueHop(here, head, "1 replicated"),
                    RELAY.issueHop(here, SignedRequest.of("HEAD" + line.substring(3), ""), hop),
                    RELAY.issueHop(here, SignedRequest.of(line + "?partNumber=1", ""), hop),
                    RELAY.issue(here, "GET", head.path()))) {
                assertThat(text(cluster.send(line, "", hop(hop, token))))
                        .as(token)
                        .isEqualTo("target002");
            }
            assertThat(text(relayed(cluster, line, hop))).isEqualTo("target001");
            assertThat(text(cluster.send("GET /v1/buckets", "", "x-sluice-hop", "1 another")))
                    .isEqualTo(text(cluster.send("GET /v1/buckets", "")));
        }
    }

    /// It says which node relays a request, and not that a node asks.
    @Test
    void tokenOfAHopGivesNoRight() {
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var key = cluster.keyOf(cluster.bucket("shards"), "target001");
            var anonymous = SignedRequest.anonymous("GET /shards/" + key);
            var token = RELAY.issueHop(TrialCluster.id(1), anonymous, "1 shards");
            for (var header : List.of("x-sluice-hop-token", "x-sluice-node-token")) {
                assertThat(outcome(cluster.response(SignedRequest.anonymous(
                                "GET /shards/" + key, "x-sluice-hop", "1 shards", header, token))))
                        .as(header)
                        .isEqualTo("403 AccessDenied");
            }
        }
    }

    @Test
    void targetBelievesTheHopOfARelay() {
        try (var proxy = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            var line = "GET /shards/" + proxy.keyOf(proxy.bucket("shards"), "target002") + "?partNumber=1";
            var extra = ((Forward) proxy.answer(SignedRequest.of(line, "")))
                    .route()
                    .now()
                    .extra();
            var headers = new ArrayList<String>();
            extra.forEach((name, value) -> headers.addAll(List.of(name, value)));
            var asked = SignedRequest.of(line, "", headers.toArray(String[]::new));
            var receiver = new PeerTokens(TrialCluster.id(2), TrialCluster.CLUSTER_KEY, () -> TrialCluster.NOW);
            assertThat(RelayMark.of(RelayMark.believed(asked, receiver)))
                    .contains(new RelayMark(proxy.views.current().version(), Optional.of("shards")));
        }
    }

    @Test
    void aRelayedRequestIsServedByThePrimaryOnly() {
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var bucket = cluster.bucket("shards");
            var mine = "/shards/" + cluster.keyOf(bucket, "target001");
            var theirs = "/shards/" + cluster.keyOf(bucket, "target002");
            assertThat(outcome(relayed(cluster, "GET " + mine, "1"))).isEqualTo("200");
            assertThat(outcome(relayed(cluster, "GET " + theirs, "1"))).isEqualTo("503 ServiceUnavailable");
            assertThat(outcome(relayed(cluster, "GET " + theirs, "1", "x-sluice-route", "redirect")))
                    .isEqualTo("503 ServiceUnavailable");
            assertThat(cluster.calls()).hasSize(1);
            assertThat(relayed(cluster, "GET " + theirs, "1").headers().first("x-sluice-not-primary"))
                    .isPresent();
        }
    }

    /// Which may name this target: it waits until it knows.
    @Test
    void aRelayedRequestByANewerMapIsTheTargetsToJudge() {
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var bucket = cluster.bucket(
                    "replicated", BucketProperties.defaults(Optional.empty()).withReplicas(2));
            var theirs = "/replicated/" + cluster.replicaKeyOf(bucket, "target002");
            var newer = Long.toString(cluster.views.current().version() + 1);
            assertThat(outcome(relayed(cluster, "GET " + theirs, "1"))).isEqualTo("503 ServiceUnavailable");
            assertThat(outcome(relayed(cluster, "GET " + theirs, newer))).isEqualTo("200");
            assertThat(cluster.calls()).singleElement().asString().startsWith("target001 ");
        }
    }

    @Test
    void aRelayFollowsTheMapOfReplicatedBuckets() {
        try (var proxy = new TrialCluster(TrialCluster.PROXY, "us-east-1", false)) {
            var bucket = proxy.bucket(
                    "replicated", BucketProperties.defaults(Optional.empty()).withReplicas(2));
            var key = proxy.replicaKeyOf(bucket, "target002");
            var way = ((Forward) proxy.answer(SignedRequest.of("GET /replicated/" + key, ""))).route();
            var first = way.now();
            assertThat(way.mayMove()).isTrue();
            assertThat(first.name()).isEqualTo("target002");
            assertThat(first.extra().first("x-sluice-hop")).contains(first.version() + " replicated");
            assertThat(way.isDown(first)).isFalse();
            proxy.down(2);
            assertThat(way.isDown(first)).isTrue();
            assertThat(way.now().version()).isGreaterThan(first.version());
            var own = proxy.bucket("own");
            assertThat(((Forward) proxy.answer(SignedRequest.of("GET /own/a", "")))
                            .route()
                            .mayMove())
                    .isFalse();
            assertThat(own.replicated()).isFalse();
        }
    }

    @Test
    void aBucketThatIsNewHereIsAskedForBeforeItIsSaidNotToExist() {
        try (var cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY)) {
            cluster.control.fallBehind();
            assertThat(outcome(cluster.send("GET /shards/a", ""))).isEqualTo("404 NoSuchBucket");
            cluster.control.applyElsewhere(new Command.CreateBucket("shards", 42, routed(Optional.empty())));
            assertThat(cluster.views.current().bucket("shards")).isEmpty();
            assertThat(outcome(cluster.send("GET /shards/a", ""))).isEqualTo("200");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /shards", "HEAD /shards", "GET /shards?location"})
    void aBucketThatIsNewHereIsServed(String line) {
        try (var cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY)) {
            cluster.control.fallBehind();
            cluster.control.applyElsewhere(new Command.CreateBucket("shards", 42, routed(Optional.empty())));
            assertThat(outcome(cluster.send(line, ""))).isEqualTo("200");
        }
    }

    private static Optional<RoutePreference> preference(String name) {
        return Optional.of(RoutePreference.valueOf(name.toUpperCase(Locale.ROOT)));
    }

    private static BucketProperties routed(Optional<RoutePreference> route) {
        return new BucketProperties(Optional.empty(), Durability.FSYNC, route, 1, 1, Optional.empty());
    }
}
