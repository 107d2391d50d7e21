package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerTokens;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Tokens and signatures at the door of the target that has the object.
class AccessCheckTest {
    private static final byte[] ANOTHER_KEY = "the key of another cluster".getBytes(StandardCharsets.UTF_8);
    private static final String DENIED = "403 AccessDenied";

    private final TrialCluster cluster = TrialCluster.asSeenFrom("target001");
    private String key = "";

    @BeforeEach
    void makeBucket() {
        key = cluster.keyOf(cluster.bucket("shards"), "target001");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aTokenIsForOneRequestOfThisClusterAndForAMinute() {
        var now = TrialCluster.NOW;
        assertThat(with(token(now, "GET", key))).isEqualTo("200");
        assertThat(with(token(now.minusSeconds(59), "GET", key))).isEqualTo("200");
        assertThat(with(token(now.minusSeconds(61), "GET", key))).isEqualTo(DENIED);
        assertThat(with(token(now, "PUT", key))).isEqualTo(DENIED);
        assertThat(with(token(now, "GET", key + "x"))).isEqualTo(DENIED);
        assertThat(with(cluster.token(TrialCluster.CLUSTER_KEY, now, "GET", "other", key)))
                .isEqualTo(DENIED);
        assertThat(with(cluster.token(ANOTHER_KEY, now, "GET", "shards", key))).isEqualTo(DENIED);
        assertThat(with("AAAA")).isEqualTo(DENIED);
    }

    @Test
    void refusalOfTokenIsInS3sWordsToClientsAndInOursToNodes() {
        assertThat(said(token(TrialCluster.NOW.minusSeconds(61), "GET", key)))
                .contains("<Message>Request has expired</Message>");
        assertThat(said("AAAA")).contains("<Message>Access Denied</Message>");
        var forged = SignedRequest.anonymous("GET /shards/" + key, PeerTokens.HEADER, "AAAA");
        assertThat(text(cluster.response(forged))).contains("<Message>The peer token is forged or too old.</Message>");
    }

    private String said(String token) {
        var asked = SignedRequest.anonymous("GET /shards/%s?x-sluice-token=%s".formatted(key, token));
        return text(cluster.response(asked));
    }

    /// A bad token is not made good by a signature beside it.
    @Test
    void aForgedTokenIsRefusedWhateverElseTheRequestBears() {
        var forged = SignedRequest.of("GET /shards/%s?x-sluice-token=AAAA".formatted(key), "");
        assertThat(outcome((Response) cluster.answer(forged))).isEqualTo(DENIED);
    }

    @Test
    void aPeersTokenHoldsForItsPathAndNotForLong() {
        var path = "/shards/" + key;
        assertThat(withPeerToken(TrialCluster.CLUSTER_KEY, TrialCluster.NOW, path))
                .isEqualTo("200");
        assertThat(withPeerToken(ANOTHER_KEY, TrialCluster.NOW, path)).isEqualTo(DENIED);
        assertThat(withPeerToken(TrialCluster.CLUSTER_KEY, TrialCluster.NOW, path + "x"))
                .isEqualTo(DENIED);
        assertThat(withPeerToken(TrialCluster.CLUSTER_KEY, TrialCluster.NOW, path + "?partNumber=1"))
                .isEqualTo(DENIED);
        assertThat(withPeerToken(TrialCluster.CLUSTER_KEY, TrialCluster.NOW, "target003", path))
                .isEqualTo(DENIED);
        assertThat(withPeerToken(TrialCluster.CLUSTER_KEY, TrialCluster.NOW.minus(Duration.ofHours(1)), path))
                .isEqualTo(DENIED);
    }

    @Test
    void aWrongSignatureIsRefused() {
        var signed = SignedRequest.of("GET /shards/" + key, "");
        var other = new dev.sluice.common.http.RequestHead(
                signed.method(),
                signed.path() + "x",
                signed.query(),
                signed.headers(),
                0,
                signed.remote(),
                false,
                signed.requestId());
        assertThat(outcome((Response) cluster.answer(other))).isEqualTo("403 SignatureDoesNotMatch");
        assertThat(outcome((Response) cluster.answer(signed))).isEqualTo("200");
    }

    private String token(Instant issued, String method, String about) {
        return cluster.token(TrialCluster.CLUSTER_KEY, issued, method, "shards", about);
    }

    private String with(String token) {
        return outcome(
                cluster.response(SignedRequest.anonymous("GET /shards/%s?x-sluice-token=%s".formatted(key, token))));
    }

    private String withPeerToken(byte[] clusterKey, Instant issued, String about) {
        return withPeerToken(clusterKey, issued, "target001", about);
    }

    private String withPeerToken(byte[] clusterKey, Instant issued, String receiver, String about) {
        var token = new PeerTokens(new NodeId("target002"), clusterKey, () -> issued)
                .issue(new NodeId(receiver), "GET", about);
        return outcome(cluster.response(SignedRequest.anonymous("GET /shards/" + key, PeerTokens.HEADER, token)));
    }
}
