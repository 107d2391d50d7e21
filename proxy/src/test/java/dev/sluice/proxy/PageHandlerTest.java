package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.auth.Identity;
import dev.sluice.common.auth.PageTokens;
import dev.sluice.common.http.Response;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The cluster's page, and who may look at it.
class PageHandlerTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private String link() throws Exception {
        var answer = cluster.send("POST /v1/ui", "");
        assertThat(answer.status()).isEqualTo(200);
        return JSON.readTree(TrialCluster.text(answer)).path("path").asText();
    }

    private Response get(String path) {
        return cluster.response(SignedRequest.anonymous("GET " + path));
    }

    @Test
    void pageOpensByItsLinkAlone() throws Exception {
        var link = link();
        for (var file : new String[] {"", "page.js", "page.css"}) {
            var answer = get(link + file);
            assertThat(answer.status()).as(file).isEqualTo(200);
            assertThat(answer.headers().first("Content-Security-Policy"))
                    .hasValueSatisfying(policy ->
                            assertThat(policy).contains("default-src 'none'").doesNotContain("unsafe"));
            assertThat(answer.headers().first("Referrer-Policy")).contains("no-referrer");
            assertThat(answer.headers().first("Cache-Control")).contains("no-store");
        }
        assertThat(get(link.substring(0, link.length() - 1)).status()).isEqualTo(308);
        assertThat(get(link + "other").status()).isEqualTo(404);
        assertThat(get(link + "../page.js").status()).isEqualTo(404);
    }

    @Test
    void nobodySeesAnythingWithoutALink() {
        var old = new PageTokens(TrialCluster.CLUSTER_KEY)
                .issue(new Identity.User("a"), TrialCluster.NOW.minus(Duration.ofHours(13)));
        for (var path :
                new String[] {"/ui", "/ui/", "/ui/data", "/ui/x/data", "/ui/" + old + "/", "/ui/" + old + "/data"}) {
            assertThat(get(path).status()).as(path).isEqualTo(403);
            assertThat(TrialCluster.text(get(path))).contains("sluice ui");
        }
        assertThat(cluster.response(SignedRequest.anonymous("POST /v1/ui")).status())
                .isEqualTo(403);
    }

    @Test
    void figuresAreThoseOfAllNodes() throws Exception {
        cluster.bucket("sets");
        cluster.metrics = """
                sluice_http_connections{node="target001"} 1
                sluice_http_requests_total{node="target001",status="2xx"} 40
                sluice_http_requests_total{node="target001",status="5xx"} 2
                sluice_drive_state{drive="/d1",node="target001",state="online"} 0
                sluice_drive_state{drive="/d1",node="target001",state="offline"} 1
                sluice_drive_bytes{drive="/d1",node="target001"} 1024
                sluice_bucket_gets_total{bucket="sets",node="target001",result="hit"} 7
                sluice_bucket_gets_total{bucket="sets",node="target001",result="miss"} 3
                """;
        var data = JSON.readTree(TrialCluster.text(get(link() + "data")));
        var node = data.path("nodes").get(0);
        assertThat(node.path("id").asText()).isEqualTo("target001");
        assertThat(node.path("answers").asBoolean()).isTrue();
        assertThat(node.path("requests").asLong())
                .as("one process that three nodes name counts once")
                .isEqualTo(42);
        assertThat(node.path("errors").asLong()).isEqualTo(2);
        assertThat(data.path("nodes").get(1).path("answers").asBoolean()).isFalse();
        assertThat(data.path("drives")).singleElement().satisfies(drive -> {
            assertThat(drive.path("state").asText()).isEqualTo("offline");
            assertThat(drive.path("bytes").asLong()).isEqualTo(1024);
        });
        assertThat(data.path("buckets").get(0).path("gets").asLong()).isEqualTo(10);
        assertThat(data.path("buckets").get(0).path("hits").asLong()).isEqualTo(7);
        assertThat(data.path("jobs").isArray()).isTrue();
    }
}
