package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeleteObjectsHandlerTest {
    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void eachKeyHasItsOwnOutcome() {
        var bucket = cluster.bucket("shards");
        var gone = cluster.keyOf(bucket, "target001");
        var stays = cluster.keyOf(bucket, "target002");
        cluster.put(bucket, gone);
        var silent = cluster.put(bucket, stays);
        silent.silence(true);
        var answer = text(cluster.send("POST /shards?delete", request(gone, stays, "missing".repeat(3))));
        assertThat(answer)
                .contains("<Deleted><Key>" + gone + "</Key></Deleted>")
                .contains("<Error><Key>" + stays + "</Key><Code>ServiceUnavailable</Code>");
        assertThat(cluster.target(1).keys(bucket.id())).isEmpty();
        assertThat(silent.keys(bucket.id())).containsExactly(stays);
    }

    @Test
    void anErrorNamesTheConditionThatDidNotHold() {
        cluster.put(cluster.bucket("shards"), "a");
        var body = "<Delete><Object><Key>a</Key><Size>7</Size></Object></Delete>";
        assertThat(text(cluster.send("POST /shards?delete", body)))
                .contains("<Error><Key>a</Key><Code>PreconditionFailed</Code>")
                .contains("<Message>The condition does not hold: x-amz-if-match-size</Message>");
    }

    @Test
    void aDocumentOtherThanTheSignedOneDeletesNothing() {
        var bucket = cluster.bucket("shards");
        var keeper = cluster.put(bucket, "a");
        var signed = SignedRequest.of("POST /shards?delete", request("b"));
        assertThat(outcome((Response) cluster.answer(signed, request("a")))).isEqualTo("400 XAmzContentSHA256Mismatch");
        assertThat(keeper.keys(bucket.id())).containsExactly("a");
    }

    private static String request(String... keys) {
        var xml = new StringBuilder("<Delete>");
        for (var key : keys) {
            xml.append("<Object><Key>").append(key).append("</Key></Object>");
        }
        return xml.append("</Delete>").toString();
    }
}
