package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.ScrubCommand;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NativeApiTest {
    private static final String CREATE = "{\"action\":\"create-bck\",\"value\":{\"durability\":\"os\"}}";

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void bucketsAreMadeChangedListedAndDestroyed() {
        assertThat(cluster.send("POST /v1/buckets/shards", CREATE).status()).isEqualTo(200);
        assertThat(TrialCluster.text(cluster.send("GET /v1/buckets", ""))).contains("shards", "\"durability\":\"os\"");
        var change = "{\"action\":\"set-bprops\",\"value\":{\"route\":\"redirect\"}}";
        assertThat(cluster.send("PATCH /v1/buckets/shards", change).status()).isEqualTo(200);
        assertThat(cluster.send("HEAD /v1/buckets/shards", "").headers().first("Ais-Bucket-Props"))
                .hasValueSatisfying(properties -> assertThat(properties).contains("\"route\":\"redirect\""));
        assertThat(cluster.send("DELETE /v1/buckets/shards", "{\"action\":\"destroy-bck\"}")
                        .status())
                .isEqualTo(200);
        assertThat(cluster.known("shards")).isEmpty();
    }

    @Test
    void aBodyOtherThanTheSignedOneIsRefused() {
        var signed = SignedRequest.of("POST /v1/buckets/shards", CREATE.replace("os", "xx"));
        var answer = cluster.answer(signed, CREATE);
        assertThat(answer).hasFieldOrPropertyWithValue("status", 400);
        assertThat(TrialCluster.text((dev.sluice.common.http.Response) answer)).contains("XAmzContentSHA256Mismatch");
        assertThat(cluster.known("shards")).isEmpty();
    }

    @Test
    void aFramedBodyIsDecoded() {
        var framed = "%x\r\n%s\r\n0\r\n\r\n".formatted(CREATE.length(), CREATE);
        var signed = SignedRequest.of(
                "POST /v1/buckets/shards",
                framed,
                SignedRequest.Payload.UNSIGNED_CHUNKS,
                "x-amz-decoded-content-length",
                Integer.toString(CREATE.length()));
        assertThat(cluster.answer(signed, framed)).hasFieldOrPropertyWithValue("status", 200);
        assertThat(cluster.known("shards")).isPresent();
    }

    @Test
    void whoDoesNotSignIsRefused() {
        assertThat(cluster.answer(SignedRequest.anonymous("GET /v1/buckets")))
                .hasFieldOrPropertyWithValue("status", 403);
    }

    @Test
    void aTargetsDrivesAreShownDisabledAndEnabled() {
        cluster.target(2).hasDrive("/mnt/a");
        cluster.target(2).hasDrive("/mnt/b");
        assertThat(mountpaths("target002")).contains("\"available\":[\"/mnt/a\",\"/mnt/b\"]", "\"disabled\":[]");
        assertThat(act("disable-mp", "/mnt/a", "target002").status()).isEqualTo(200);
        assertThat(mountpaths("target002")).contains("\"available\":[\"/mnt/b\"]", "\"disabled\":[\"/mnt/a\"]");
        assertThat(act("enable-mp", "/mnt/a", "target002").status()).isEqualTo(200);
        assertThat(mountpaths("target002")).contains("\"disabled\":[]", "\"waiting_dd\":[]");
        assertThat(act("disable-mp", "/mnt/c", "target002").status()).isEqualTo(400);
        assertThat(act("disable-mp", "/mnt/a", "target009").status()).isEqualTo(404);
        assertThat(act("detach-mp", "/mnt/a", "target002").status()).isEqualTo(501);
        assertThat(mountpaths(TrialCluster.PROXY)).contains("not a target");
    }

    private dev.sluice.common.http.Response act(String action, String path, String target) {
        var body = "{\"action\":\"%s\",\"value\":\"%s\"}".formatted(action, path);
        return cluster.send("POST /v1/reverse/daemon/mountpaths", body, "Ais-Node-Id", target);
    }

    private String mountpaths(String target) {
        return TrialCluster.text(cluster.send("GET /v1/reverse/daemon?what=mountpaths", "", "Ais-Node-Id", target));
    }

    @Test
    void whatItDoesNotKnowIsNamed() {
        var unknown = CREATE.replace("durability", "mirror");
        assertThat(TrialCluster.text(cluster.send("POST /v1/buckets/shards", unknown)))
                .contains("unknown property 'mirror'");
        assertThat(TrialCluster.text(cluster.send("POST /v1/buckets/shards", "{\"action\":\"list\"}")))
                .contains("create-bck");
        assertThat(cluster.send("GET /v1/objects/a", "").status()).isEqualTo(501);
    }

    @Test
    void scrubsAreStartedStoppedAndShownOnTheTargetsThatAreMeant() {
        assertThat(TrialCluster.text(cluster.send("GET /v1/scrub", "")))
                .contains("\"target\":\"target001\"", "\"target\":\"target003\"", "\"path\":\"/target002\"")
                .contains("\"state\":\"idle\"", "\"kind\":\"damaged\",\"action\":\"marked\"");
        var start =
                "{\"action\":\"start-scrub\",\"value\":{\"target\":\"target002\",\"drive\":\"/target002\",\"rate\":9}}";
        assertThat(TrialCluster.text(cluster.send("POST /v1/scrub", start)))
                .contains("\"state\":\"running\"", "target002")
                .doesNotContain("target001");
        assertThat(cluster.target(2).scrubbed().getLast())
                .isEqualTo(new ScrubCommand(ScrubCommand.Action.START, Optional.of("/target002"), Optional.of(9L)));
        assertThat(cluster.send("POST /v1/scrub", "{\"action\":\"stop-scrub\"}").status())
                .isEqualTo(200);
        assertThat(cluster.target(1).scrubbed().getLast().action()).isEqualTo(ScrubCommand.Action.STOP);
    }

    @Test
    void aTargetThatIsSilentHidesNoOther() {
        cluster.target(2).silence(true);
        assertThat(TrialCluster.text(cluster.send("GET /v1/scrub", "")))
                .contains("\"error\":\"target002 does not answer\"", "/target001", "/target003");
    }

    @Test
    void whatAScrubCallGetsWrongIsNamed() {
        assertThat(TrialCluster.text(cluster.send("GET /v1/scrub?target=nobody", "")))
                .contains("There is no target nobody");
        assertThat(TrialCluster.text(cluster.send("GET /v1/scrub?drive=%2Ftarget003", "")))
                .contains("target003")
                .doesNotContain("target001");
        assertThat(TrialCluster.text(cluster.send("GET /v1/scrub?drive=%2Fmnt%2Fother", "")))
                .contains("There is no drive /mnt/other");
        assertThat(TrialCluster.text(cluster.send("POST /v1/scrub", "{\"action\":\"scrub\"}")))
                .contains("start-scrub");
        var misspelt = "{\"action\":\"start-scrub\",\"value\":{\"disk\":\"/d\"}}";
        assertThat(TrialCluster.text(cluster.send("POST /v1/scrub", misspelt))).contains("unknown value 'disk'");
        var slow = "{\"action\":\"start-scrub\",\"value\":{\"rate\":-1}}";
        assertThat(cluster.send("POST /v1/scrub", slow).status()).isEqualTo(400);
    }
}
