package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.Route;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Reads of a cached bucket whose primary is away: who is asked instead.
class CachedReadRouteTest {
    private static final PeerTokens RELAY =
            new PeerTokens(new NodeId(TrialCluster.PROXY), TrialCluster.CLUSTER_KEY, () -> TrialCluster.NOW);

    private static TrialCluster proxy() {
        return new TrialCluster(TrialCluster.PROXY, "us-east-1", false);
    }

    private static Route route(TrialCluster cluster, String line) {
        return ((Forward) cluster.answer(SignedRequest.of(line, ""))).route();
    }

    private static List<String> ranking(TrialCluster cluster, Bucket bucket, String key) {
        return cluster.views.current().ranking(bucket, key).stream()
                .map(Node::id)
                .map(NodeId::value)
                .toList();
    }

    private static int number(String target) {
        return Integer.parseInt(target.substring("target".length()));
    }

    private static String hop(Route.Stage stage) {
        return stage.extra().first("x-sluice-hop").orElseThrow();
    }

    @Test
    void readWhosePrimaryIsDownGoesToTheNextOfTheRanking() {
        try (var proxy = proxy()) {
            var bucket = proxy.backed("cached");
            for (int i = 0; i < 20; i++) {
                var key = "key" + i;
                var ranking = ranking(proxy, bucket, key);
                var whole = route(proxy, "GET /cached/" + key);
                assertThat(whole.now().name()).isEqualTo(ranking.get(0));
                assertThat(hop(whole.now())).endsWith(" cached");
                proxy.down(number(ranking.get(0)));
                for (var method : List.of("GET", "HEAD")) {
                    var stage = route(proxy, method + " /cached/" + key).now();
                    assertThat(stage.name()).isEqualTo(ranking.get(1));
                    assertThat(hop(stage)).isEqualTo(stage.version() + " cached away");
                }
                proxy.down(number(ranking.get(1)));
                assertThat(route(proxy, "GET /cached/" + key).now().name()).isEqualTo(ranking.get(2));
                proxy.down(number(ranking.get(2)));
                assertThat(route(proxy, "GET /cached/" + key).now().name())
                        .as("all are down")
                        .isEqualTo(ranking.get(0));
                ranking.forEach(target -> proxy.up(number(target)));
            }
        }
    }

    @Test
    void eachTargetThatIsUpIsNamedOnce() {
        try (var proxy = proxy()) {
            var bucket = proxy.backed("cached");
            var ranking = ranking(proxy, bucket, "a");
            var route = route(proxy, "GET /cached/a");
            assertThat(route.mayMove()).isFalse();
            assertThat(route.isDown(route.now())).isFalse();
            var next = route.past(route.now()).orElseThrow();
            assertThat(next.name()).isEqualTo(ranking.get(1));
            assertThat(hop(next)).endsWith(" cached away");
            assertThat(route.now()).isEqualTo(next);
            proxy.down(number(ranking.get(1)));
            assertThat(route.isDown(next)).isTrue();
            var last = route.past(next).orElseThrow();
            assertThat(last.name()).isEqualTo(ranking.get(2));
            proxy.up(number(ranking.get(1)));
            assertThat(route.past(last)).isEmpty();
            assertThat(route.now()).isEqualTo(last);
        }
    }

    @Test
    void pingBearsATokenOfThisNode() {
        try (var proxy = proxy()) {
            proxy.backed("cached");
            var route = route(proxy, "GET /cached/a");
            var ping = route.ping(route.now()).orElseThrow();
            var headers = new ArrayList<String>();
            ping.headers().forEach((name, value) -> headers.addAll(List.of(name, value)));
            var asked = SignedRequest.anonymous("GET " + ping.path(), headers.toArray(String[]::new));
            var receiver =
                    new PeerTokens(new NodeId(route.now().name()), TrialCluster.CLUSTER_KEY, () -> TrialCluster.NOW);
            assertThat(asked.path()).isEqualTo(PeerPaths.PING);
            assertThat(receiver.verify(asked)).contains(new NodeId(TrialCluster.PROXY));
        }
    }

    @Test
    void nobodyIsRedirectedToAPrimaryThatIsDown() {
        try (var proxy = proxy()) {
            var bucket = proxy.backed("cached");
            var request = SignedRequest.of("GET /cached/a", "", "x-sluice-route", "redirect");
            assertThat(((Response) proxy.answer(request)).status()).isEqualTo(307);
            for (var target : ranking(proxy, bucket, "a")) {
                proxy.down(number(target));
                assertThat(proxy.answer(request)).isInstanceOf(Forward.class);
            }
        }
    }

    @Test
    void targetInThisProcessAnswersForThePrimary() {
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var bucket = cluster.backed("cached");
            var key = keyOf(cluster, bucket, "target002", "target001");
            cluster.leaves(2);
            assertThat(cluster.answer(SignedRequest.of("GET /cached/" + key, "")))
                    .isInstanceOf(Forward.class);
            cluster.down(2);
            assertThat(text(cluster.send("GET /cached/" + key, ""))).isEqualTo("target001 past the primary");
        }
    }

    private static String keyOf(TrialCluster cluster, Bucket bucket, String primary, String next) {
        for (int i = 0; ; i++) {
            var ranking = ranking(cluster, bucket, "key" + i);
            if (ranking.get(0).equals(primary) && ranking.get(1).equals(next)) {
                return "key" + i;
            }
        }
    }

    /// What is no read of a cached bucket waits for its primary.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PUT /cached/KEY",
                "DELETE /cached/KEY",
                "GET /cached/KEY?tagging",
                "GET /cached/KEY?acl",
                "GET /cached/KEY?uploadId=x",
                "POST /cached/KEY?uploads",
                "GET /own/KEY",
                "HEAD /own/KEY"
            })
    void otherRequestsGoToThePrimary(String line) {
        try (var proxy = proxy()) {
            proxy.backed("cached");
            var bucket = proxy.bucket(line.contains("/own/") ? "own" : "other");
            var named = line.contains("/own/") ? bucket : proxy.known("cached").orElseThrow();
            proxy.down(2);
            var route = route(proxy, line.replace("KEY", proxy.keyOf(named, "target002")));
            assertThat(route.now().name()).isEqualTo("target002");
            assertThat(hop(route.now())).doesNotContain("away");
            assertThat(route.past(route.now())).isEmpty();
            assertThat(route.ping(route.now())).isEmpty();
        }
    }

    // ---- at the target that is asked

    private static Response relayed(TrialCluster cluster, String line, String hop) {
        var token = RELAY.issueHop(TrialCluster.id(1), SignedRequest.of(line, ""), hop);
        return cluster.send(line, "", "x-sluice-hop", hop, "x-sluice-hop-token", token);
    }

    @Test
    void targetAnswersForThePrimaryThatARelayFoundAway() {
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var theirs = "/cached/" + cluster.keyOf(cluster.backed("cached"), "target002");
            assertThat(text(relayed(cluster, "GET " + theirs, "1 cached away")))
                    .isEqualTo("target001 past the primary");
            assertThat(relayed(cluster, "HEAD " + theirs, "1 cached away").status())
                    .isEqualTo(200);
            assertThat(outcome(relayed(cluster, "GET " + theirs, "1 cached"))).isEqualTo("503 ServiceUnavailable");
            for (var line : List.of("PUT " + theirs, "DELETE " + theirs, "GET " + theirs + "?tagging")) {
                assertThat(relayed(cluster, line, "1 cached away").status())
                        .as(line)
                        .isEqualTo(503);
            }
            var mine = "/cached/" + cluster.keyOf(cluster.known("cached").orElseThrow(), "target001");
            assertThat(text(relayed(cluster, "GET " + mine, "1 cached away")))
                    .as("the primary is itself")
                    .isEqualTo("target001");
            assertThat(outcome(relayed(cluster, "GET " + theirs, "1 other away")))
                    .isEqualTo("503 ServiceUnavailable");
            var own = "/own/" + cluster.keyOf(cluster.bucket("own"), "target002");
            assertThat(outcome(relayed(cluster, "GET " + own, "1 own away"))).isEqualTo("503 ServiceUnavailable");
        }
    }

    @Test
    void clientCannotSayThatThePrimaryIsAway() {
        try (var cluster = TrialCluster.asSeenFrom("target001")) {
            var line = "GET /cached/" + cluster.keyOf(cluster.backed("cached"), "target002");
            var known = RELAY.issueHop(TrialCluster.id(1), SignedRequest.of(line, ""), "1 cached");
            assertThat(text(cluster.send(line, "", "x-sluice-hop", "1 cached away")))
                    .isEqualTo("target002");
            assertThat(text(cluster.send(line, "", "x-sluice-hop", "1 cached away", "x-sluice-hop-token", known)))
                    .isEqualTo("target002");
        }
    }
}
