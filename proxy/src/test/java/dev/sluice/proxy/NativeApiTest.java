package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.RoutePreference;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.http.Response;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.s3.BucketDocument;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NativeApiTest {
    private static final String CREATE = "{\"action\":\"create-bck\",\"value\":{\"durability\":\"os\"}}";

    private static final String ROUTE = "{\"action\":\"set-bprops\",\"value\":{\"route\":\"redirect\"}}";

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void bucketsAreMadeChangedListedAndDestroyed() {
        assertThat(cluster.send("POST /v1/buckets/shards", CREATE).status()).isEqualTo(200);
        assertThat(TrialCluster.text(cluster.send("GET /v1/buckets", ""))).contains("shards", "\"durability\":\"os\"");
        assertThat(cluster.send("PATCH /v1/buckets/shards", ROUTE).status()).isEqualTo(200);
        assertThat(cluster.send("HEAD /v1/buckets/shards", "").headers().first("Ais-Bucket-Props"))
                .hasValueSatisfying(properties -> assertThat(properties).contains("\"route\":\"redirect\""));
        assertThat(cluster.send("PATCH /v1/buckets/shards", ROUTE.replace("\"redirect\"", "null"))
                        .status())
                .isEqualTo(200);
        assertThat(cluster.known("shards").orElseThrow().properties().route()).isEmpty();
        assertThat(cluster.send("DELETE /v1/buckets/shards", "{\"action\":\"destroy-bck\"}")
                        .status())
                .isEqualTo(200);
        assertThat(cluster.known("shards")).isEmpty();
    }

    /// Somebody else's change, between the moment this node looks at the properties and its command.
    private static ClusterState changed(ClusterState state, UnaryOperator<BucketProperties> change) {
        var now = TrialCluster.find(state, "shards");
        return Planner.next(
                state,
                new Command.SetBucketProperties("shards", now.id(), now.properties(), change.apply(now.properties())));
    }

    private static String policyOf(String resource) {
        return "{\"Version\":\"2012-10-17\",\"Statement\":[%s]}"
                .formatted(TrialCluster.statement("Allow", "s3:GetObject", resource));
    }

    @Test
    void ofTwoChangesAtTheSameTimeNeitherIsLost() {
        cluster.bucket("shards");
        var policy = Optional.of(policyOf("shards/a"));
        cluster.control.beforeEach(
                state -> changed(state, properties -> properties.with(BucketDocument.POLICY, policy)));
        assertThat(cluster.send("PATCH /v1/buckets/shards", ROUTE).status()).isEqualTo(200);
        var properties = cluster.known("shards").orElseThrow().properties();
        assertThat(properties.document(BucketDocument.POLICY)).isEqualTo(policy);
        assertThat(properties.route()).contains(RoutePreference.REDIRECT);
    }

    @Test
    void aChangeThatOthersAreAlwaysFasterThanIsRefused() {
        cluster.bucket("shards");
        var turns = new AtomicInteger();
        cluster.control.beforeEach(state -> changed(
                state,
                properties -> properties.with(
                        BucketDocument.POLICY, Optional.of(policyOf("shards/" + turns.incrementAndGet())))));
        assertThat(TrialCluster.text(cluster.send("PATCH /v1/buckets/shards", ROUTE)))
                .contains("\"status\":409", "OperationAborted");
        assertThat(cluster.known("shards").orElseThrow().properties().route()).isEmpty();
    }

    @Test
    void aChangeOfABucketThatIsAnotherOneByNowIsRefused() {
        cluster.bucket("shards");
        cluster.control.beforeEach(state -> replaced(state, TrialCluster.find(state, "shards")));
        assertThat(cluster.send("PATCH /v1/buckets/shards", ROUTE).status()).isEqualTo(404);
        assertThat(cluster.known("shards").orElseThrow().properties().route()).isEmpty();
    }

    private static ClusterState replaced(ClusterState state, Bucket old) {
        var marked = Planner.next(state, new Command.MarkDeleting("shards"));
        return Planner.next(
                marked,
                new Command.RemoveBucket("shards", old.id(), marked.version()),
                TrialCluster.droppedBy(1, 2, 3),
                new Command.CreateBucket("shards", 43, old.properties()));
    }

    private int replicas(String name, String value) {
        var body = "{\"action\":\"create-bck\",\"value\":%s}".formatted(value);
        assertThat(cluster.send("POST /v1/buckets/" + name, body).status()).isEqualTo(200);
        return cluster.known(name).orElseThrow().properties().replicas();
    }

    @Test
    void newBucketHasTwoReplicasUnlessItIsToHaveOne() {
        assertThat(replicas("usual", "{}")).isEqualTo(2);
        assertThat(replicas("one", "{\"replicas\":1}")).isEqualTo(1);
        assertThat(replicas("copies", "{\"local_copies\":2}")).isEqualTo(1);
        assertThat(replicas("cached", "{\"backend\":{\"url\":\"s3://cloud\",\"via\":\"lab\"}}"))
                .isEqualTo(1);
        assertThat(cluster.send("PUT /by-s3", "").status()).isEqualTo(200);
        assertThat(cluster.known("by-s3").orElseThrow().properties().replicas()).isEqualTo(2);
    }

    @Test
    void bucketMayHaveAnErasureCodeInsteadOfReplicas() {
        assertThat(replicas("coded", "{\"ec\":\"2+1\"}")).isEqualTo(3);
        var properties = cluster.known("coded").orElseThrow().properties();
        assertThat(properties.code()).hasToString("Optional[2+1]");
        assertThat(shown("coded"))
                .contains("\"ec\":{\"enabled\":true,\"data_slices\":2,\"parity_slices\":1}")
                .doesNotContain("replicas", "min_in_sync");
        assertThat(replicas("as-ais-says-it", "{\"ec\":{\"enabled\":true,\"data_slices\":2,\"parity_slices\":1}}"))
                .isEqualTo(3);
        assertThat(cluster.known("as-ais-says-it").orElseThrow().group())
                .isEqualTo(cluster.known("coded").orElseThrow().group());
        assertThat(replicas("three", "{\"replicas\":3}")).isEqualTo(3);
        assertThat(cluster.known("three").orElseThrow().group())
                .isNotEqualTo(cluster.known("coded").orElseThrow().group());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"ec\":\"2\"} | an erasure code is written as data+parity, such as 4+2, not '2'",
                "{\"ec\":\"1+1\"} | 2 to 20 data and 1 to 4 parity slices, not 1+1",
                "{\"ec\":\"2+5\"} | 2 to 20 data and 1 to 4 parity slices, not 2+5",
                "{\"ec\":null} | an erasure code is written as data+parity",
                "{\"ec\":{\"enabled\":false}} | an erasure code is written as data+parity",
                "{\"ec\":\"4+2\"} | needs 6 targets; the cluster has 3",
                "{\"ec\":\"2+1\",\"replicas\":3} | ec and replicas exclude each other",
                "{\"ec\":\"2+1\",\"durability\":\"os\"} | a bucket with an erasure code has durability fsync",
                "{\"ec\":\"2+1\",\"min_in_sync\":2} | has no min_in_sync",
                "{\"ec\":\"2+1\",\"backend\":{\"url\":\"s3://cloud\",\"via\":\"lab\"}} | a bucket with a backend has no erasure code",
            })
    void erasureCodeThatCannotBeIsRefused(String value, String why) {
        var refusal =
                cluster.send("POST /v1/buckets/coded", "{\"action\":\"create-bck\",\"value\":%s}".formatted(value));
        assertThat(refusal.status()).isEqualTo(400);
        assertThat(TrialCluster.text(refusal)).contains(why);
        assertThat(cluster.known("coded")).isEmpty();
    }

    @Test
    void writesMayAskForMoreReplicasThanOne() {
        assertThat(cluster.send(
                                "POST /v1/buckets/safe",
                                "{\"action\":\"create-bck\",\"value\":{\"replicas\":3,\"min_in_sync\":2}}")
                        .status())
                .isEqualTo(200);
        assertThat(cluster.known("safe").orElseThrow().properties().minInSync()).isEqualTo(2);
        assertThat(cluster.send("HEAD /v1/buckets/safe", "").headers().first("Ais-Bucket-Props"))
                .hasValueSatisfying(props -> assertThat(props).contains("\"min_in_sync\":2"));
        assertThat(TrialCluster.text(cluster.send(
                        "PATCH /v1/buckets/safe", "{\"action\":\"set-bprops\",\"value\":{\"min_in_sync\":4}}")))
                .contains("\"status\":400", "min_in_sync must be a whole number from 1 to 3, not 4");
        assertThat(cluster.known("safe").orElseThrow().properties().minInSync()).isEqualTo(2);
    }

    private static final String VIA_LAB =
            "{\"action\":\"create-bck\",\"value\":{\"backend\":{\"url\":\"s3://cloud\",\"via\":\"lab\"}}}";

    @Test
    void aBackendIsNamedWithTheBucketAndShown() {
        assertThat(cluster.send("POST /v1/buckets/cached", VIA_LAB).status()).isEqualTo(200);
        assertThat(cluster.known("cached").orElseThrow().properties().backend())
                .contains(BackendSpec.via("s3://cloud", "lab"));
        assertThat(cluster.send("HEAD /v1/buckets/cached", "").headers().first("Ais-Bucket-Props"))
                .hasValueSatisfying(properties -> assertThat(properties).contains("\"via\":\"lab\""));
    }

    @Test
    void aBackendThatTheConfigurationLacksMakesNoBucketEvenUnchecked() {
        for (var query : List.of("", "?check=false")) {
            var refused = cluster.send("POST /v1/buckets/cached" + query, VIA_LAB.replace("lab", "elsewhere"));
            assertThat(refused.status()).isEqualTo(400);
            assertThat(TrialCluster.text(refused)).contains("the configuration has no elsewhere");
            assertThat(cluster.known("cached")).isEmpty();
        }
    }

    @Test
    void aBackendThatATargetCannotUseMakesNoBucketUnlessUnchecked() {
        cluster.target(1).refusesBackends("s3://cloud says 403");
        cluster.target(2).silence(true);
        cluster.target(3).refusesBackends("s3://cloud says 403");
        var refused = cluster.send("POST /v1/buckets/cached", VIA_LAB);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(TrialCluster.text(refused)).contains("target001, target003: s3://cloud says 403");
        assertThat(cluster.known("cached")).isEmpty();
        assertThat(cluster.send("POST /v1/buckets/cached?check=false", VIA_LAB).status())
                .isEqualTo(200);
    }

    @Test
    void aTargetThatIsDownDoesNotKeepABucketFromBeingMade() {
        cluster.target(1).silence(true);
        assertThat(cluster.send("POST /v1/buckets/one", VIA_LAB).status()).isEqualTo(200);
        cluster.target(2).silence(true);
        cluster.target(3).silence(true);
        assertThat(cluster.send("POST /v1/buckets/two", VIA_LAB).status()).isEqualTo(503);
        assertThat(cluster.known("two")).isEmpty();
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
        assertThat(act("rescan-mp", "/mnt/a", "target002").status()).isEqualTo(501);
        assertThat(mountpaths(TrialCluster.PROXY)).contains("not a target");
    }

    @Test
    void aTargetsDrivesAreAttachedAndDetached() {
        cluster.target(2).hasDrive("/mnt/a");
        assertThat(act("PUT", "", "attach-mp", "/mnt/b").status()).isEqualTo(200);
        assertThat(mountpaths("target002")).contains("\"available\":[\"/mnt/a\",\"/mnt/b\"]");
        assertThat(act("DELETE", "", "detach-mp", "/mnt/a").status()).isEqualTo(200);
        assertThat(mountpaths("target002"))
                .contains("\"available\":[\"/mnt/b\"]", "\"waiting_dd\":[\"/mnt/a\"]", "\"leaving\":true");
        var given = act("DELETE", "?lost=true", "detach-mp", "/mnt/a");
        assertThat(TrialCluster.text(given)).isEqualTo("{\"done\":\"DETACH_LOST /mnt/a\"}");
        assertThat(mountpaths("target002")).contains("\"available\":[\"/mnt/b\"]", "\"waiting_dd\":[]");
        assertThat(act("POST", "", "attach-mp", "/mnt/c").status()).isEqualTo(405);
        assertThat(act("PUT", "", "disable-mp", "/mnt/b").status()).isEqualTo(405);
        assertThat(act("DELETE", "", "detach-mp", "/mnt/c").status()).isEqualTo(400);
    }

    private Response act(String method, String query, String action, String path) {
        var body = "{\"action\":\"%s\",\"value\":\"%s\"}".formatted(action, path);
        return cluster.send(method + " /v1/reverse/daemon/mountpaths" + query, body, "Ais-Node-Id", "target002");
    }

    @Test
    void copiesAndQuotaAreSetAtTheStartAndLaterAndTheQuotaIsLifted() {
        var create = "{\"action\":\"create-bck\",\"value\":{\"local_copies\":2,\"quota\":1099511627776}}";
        assertThat(cluster.send("POST /v1/buckets/shards", create).status()).isEqualTo(200);
        assertThat(shown()).contains("\"local_copies\":2", "\"quota\":1099511627776");
        assertThat(set("{\"local_copies\":8}").status()).isEqualTo(200);
        assertThat(shown()).contains("\"local_copies\":8", "\"quota\":1099511627776");
        assertThat(set("{\"quota\":null}").status()).isEqualTo(200);
        assertThat(shown()).contains("\"local_copies\":8").doesNotContain("quota");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "9", "-1", "\"2\"", "1.5", "null", "18446744073709551617"})
    void localCopiesAreAWholeNumberFromOneToEight(String copies) {
        assertThat(cluster.send("POST /v1/buckets/shards", CREATE).status()).isEqualTo(200);
        var refusal = set("{\"local_copies\":%s}".formatted(copies));
        assertThat(refusal.status()).isEqualTo(400);
        assertThat(TrialCluster.text(refusal)).contains("local_copies must be a whole number from 1 to 8, not ");
        assertThat(shown()).contains("\"local_copies\":1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "\"1GiB\"", "1e3", "9223372036854775808"})
    void aQuotaIsAWholeNumberOfBytes(String quota) {
        assertThat(cluster.send("POST /v1/buckets/shards", CREATE).status()).isEqualTo(200);
        var refusal = set("{\"quota\":%s}".formatted(quota));
        assertThat(refusal.status()).isEqualTo(400);
        assertThat(TrialCluster.text(refusal))
                .contains("quota must be a whole number from 1 to 9223372036854775807, not ");
        assertThat(shown()).doesNotContain("quota");
    }

    @Test
    void rulesForCachedObjectsAreSetOneByOne() {
        assertThat(cluster.send("POST /v1/buckets/shards", VIA_LAB).status()).isEqualTo(200);
        assertThat(shown()).contains("\"revalidate\":\"never\",\"evict\":\"auto\",\"cold_range\":\"fill\"");
        assertThat(set("{\"revalidate\":\"10m\"}").status()).isEqualTo(200);
        assertThat(set("{\"evict\":\"never\"}").status()).isEqualTo(200);
        assertThat(set("{\"cold_range\":\"pass\"}").status()).isEqualTo(200);
        assertThat(shown()).contains("\"revalidate\":\"600s\",\"evict\":\"never\",\"cold_range\":\"pass\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"revalidate\":\"0s\"} | revalidate must be never, always, or a duration",
                "{\"revalidate\":null} | revalidate must be never, always, or a duration",
                "{\"evict\":\"NEVER\"} | evict must be one of [\"auto\",\"never\"], not \"NEVER\"",
                "{\"evict\":null} | evict must be one of [\"auto\",\"never\"], not null",
                "{\"cold_range\":1} | cold_range must be one of [\"fill\",\"pass\"], not 1",
                "{\"durability\":null} | durability must be one of [\"fsync\",\"os\"], not null"
            })
    void aRuleThatIsNoneIsRefused(String properties, String why) {
        assertThat(cluster.send("POST /v1/buckets/shards", VIA_LAB).status()).isEqualTo(200);
        var before = shown();
        var refusal = set(properties);
        assertThat(refusal.status()).isEqualTo(400);
        assertThat(TrialCluster.text(refusal)).contains(why.replace("\"", "\\\""));
        assertThat(shown()).isEqualTo(before);
    }

    @Test
    void aBucketThatOwnsItsObjectsHasNoRulesForCachedOnes() {
        assertThat(cluster.send("POST /v1/buckets/shards", CREATE).status()).isEqualTo(200);
        var refusal = set("{\"evict\":\"never\"}");
        assertThat(refusal.status()).isEqualTo(400);
        assertThat(TrialCluster.text(refusal)).contains("evict and cold_range are for buckets with a backend");
    }

    private dev.sluice.common.http.Response set(String properties) {
        var message = "{\"action\":\"set-bprops\",\"value\":%s}".formatted(properties);
        return cluster.send("PATCH /v1/buckets/shards", message);
    }

    private String shown() {
        return shown("shards");
    }

    private String shown(String bucket) {
        return cluster.send("HEAD /v1/buckets/" + bucket, "")
                .headers()
                .first("Ais-Bucket-Props")
                .orElseThrow();
    }

    private Response act(String action, String path, String target) {
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
    void whatABucketTakesIsShownInAllAndOnEachTarget() {
        var create = "{\"action\":\"create-bck\",\"value\":{\"quota\":1000}}";
        assertThat(cluster.send("POST /v1/buckets/shards", create).status()).isEqualTo(200);
        long id = cluster.known("shards").orElseThrow().id();
        cluster.target(1).keys(id).add("a");
        cluster.target(3).keys(id).addAll(List.of("b", "c"));
        cluster.target(2).silence(true);
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/shards", "")))
                .contains("\"quota\":1000,\"objects\":3,\"bytes\":30,\"uploading\":6")
                .contains("{\"target\":\"target003\",\"objects\":2,\"bytes\":20,\"uploading\":3,\"reserved\":0}")
                .contains("{\"target\":\"target002\",\"error\":\"target002 does not answer\"}");
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/shards", ""))).doesNotContain("reads");
        assertThat(cluster.send("GET /v1/usage/nothing", "").status()).isEqualTo(404);
    }

    @Test
    void usageTellsWhatToDoWhenTheCloudRefusesTheCredentials() {
        assertThat(cluster.send("POST /v1/buckets/cached", VIA_LAB).status()).isEqualTo(200);
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/cached?check=true", "")))
                .contains("\"cloud\":{\"targets\":[],\"next\":null}");
        cluster.target(1).refusesBackends("s3://cloud says 403");
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/cached?check=true", "")))
                .contains("\"targets\":[{\"target\":\"target001\",\"failure\":\"s3://cloud says 403\"}]")
                .contains("\"next\":\"correct the credentials of [backends.lab] in the settings of every node");
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/cached", ""))).doesNotContain("\"cloud\"");
    }

    @Test
    void recentReadsOfACachedBucketAreShownInAllAndOnEachTarget() {
        var create = "{\"action\":\"create-bck\",\"value\":{\"backend\":{\"url\":\"s3://cloud\",\"via\":\"lab\"}}}";
        assertThat(cluster.send("POST /v1/buckets/shards", create).status()).isEqualTo(200);
        long id = cluster.known("shards").orElseThrow().id();
        cluster.target(1).keys(id).add("a");
        cluster.target(2).keys(id).add("a");
        cluster.target(2).silence(true);
        cluster.target(3).keys(id).addAll(List.of("b", "c"));
        var none = "{\"hits\":0,\"misses\":0,\"bytes\":0,\"cloud_bytes\":0,\"hit_ratio\":null}";
        assertThat(TrialCluster.text(cluster.send("GET /v1/usage/shards", "")))
                .contains("\"unchecked\":4,\"reads\":{\"minute\":" + none
                        + ",\"hour\":{\"hits\":9,\"misses\":3,\"bytes\":120,\"cloud_bytes\":30,\"hit_ratio\":0.75}")
                .contains("{\"hits\":6,\"misses\":2,\"bytes\":80,\"cloud_bytes\":20,\"hit_ratio\":0.75}");
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

    @Test
    void resilversAreStartedStoppedAndShownOnTheTargetsThatAreMeant() {
        assertThat(TrialCluster.text(cluster.send("GET /v1/resilver", "")))
                .contains("\"target\":\"target001\"", "\"target\":\"target003\"")
                .contains("\"state\":\"waiting\",\"settled\":false,\"reason\":\"uploads under way\"")
                .contains("\"bucket\":\"b\",\"key\":\"k\",\"why\":\"no room\"");
        var start = "{\"action\":\"start-resilver\",\"value\":{\"target\":\"target002\"}}";
        assertThat(TrialCluster.text(cluster.send("POST /v1/resilver", start)))
                .contains("\"state\":\"running\"", "target002")
                .doesNotContain("target001");
        assertThat(cluster.target(2).resilvered().getLast()).isEqualTo(ResilverCommand.START);
        assertThat(TrialCluster.text(cluster.send("POST /v1/resilver", "{\"action\":\"stop-resilver\"}")))
                .contains("\"state\":\"stopped\"", "target001", "target003");
        cluster.target(3).silence(true);
        assertThat(TrialCluster.text(cluster.send("GET /v1/resilver", "")))
                .contains("\"error\":\"target003 does not answer\"", "target001");
    }

    @Test
    void whatAResilverCallGetsWrongIsNamed() {
        assertThat(TrialCluster.text(cluster.send("GET /v1/resilver?target=nobody", "")))
                .contains("There is no target nobody");
        assertThat(TrialCluster.text(cluster.send("POST /v1/resilver", "{\"action\":\"start\"}")))
                .contains("start-resilver");
        var misspelt = "{\"action\":\"start-resilver\",\"value\":{\"drive\":\"/d\"}}";
        assertThat(TrialCluster.text(cluster.send("POST /v1/resilver", misspelt)))
                .contains("unknown value 'drive'");
        assertThat(cluster.send("PUT /v1/resilver", "").status()).isEqualTo(405);
    }
}
