package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobFailure;
import dev.sluice.common.jobs.JobPart;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.LiveJob;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PREFETCH = "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"prefix\":\"train/\"}";

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void setsInTheCloud(String... keys) {
        cluster.backed("sets");
        cluster.targets.values().forEach(target -> target.cloud().addAll(List.of(keys)));
    }

    private JsonNode sent(String line, String body) throws IOException {
        var response = cluster.send(line, body);
        assertThat(response.status()).as(TrialCluster.text(response)).isEqualTo(200);
        return JSON.readTree(TrialCluster.text(response));
    }

    private String started() throws IOException {
        return sent("POST /v1/jobs", PREFETCH).path("id").asText();
    }

    /// An object that is being fetched just now is in no list, and may be outdated.
    @Test
    void refreshBeginsAlsoWhereNothingIsCached() throws IOException {
        setsInTheCloud("train/a");
        assertThat(sent("POST /v1/jobs", "{\"kind\":\"refresh\",\"bucket\":\"sets\"}")
                        .path("state")
                        .asText())
                .isEqualTo("running");
    }

    private static JobPart part(JobState state, int done, JobFailure... failures) {
        return new JobPart(
                state,
                new JobCounts(done, done, 0, failures.length, 10L * done, done),
                List.of(failures),
                Optional.empty());
    }

    private void ends(String id, int target, JobPart part) {
        cluster.control.apply(new Command.EndJobPart(id, new NodeId("target00" + target), part, 3));
    }

    @Test
    void startedJobIsRecordedAndShown() throws IOException {
        setsInTheCloud("train/a");
        var job = sent("POST /v1/jobs", PREFETCH.replace("}", ",\"dry_run\":true}"));
        assertThat(job.path("id").asText()).matches("prefetch-[a-z0-9]{8}");
        assertThat(job.path("state").asText()).isEqualTo("running");
        assertThat(job.path("author").asText()).isEqualTo(SignedRequest.ACCESS_KEY);
        assertThat(job.path("dry_run").asBoolean()).isTrue();
        assertThat(job.path("targets"))
                .hasSize(3)
                .allMatch(target -> target.path("state").asText().equals("waiting"));
        var record = cluster.control.confirm().jobs().find(job.path("id").asText());
        assertThat(record.orElseThrow().spec().prefix()).isEqualTo("train/");
        assertThat(sent("GET /v1/jobs", "")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"kind\":\"prefetch\",\"bucket\":\"none\"}                      | 404 | NoSuchBucket",
                "{\"kind\":\"prefetch\",\"bucket\":\"native\"}                    | 400 | native has no backend",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"prefix\":\"test/\"} | 404 | no key that begins with 'test/'",
                "{\"kind\":\"melt\",\"bucket\":\"sets\"}                          | 400 | melt",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"prefix\":7}         | 400 | prefix",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"color\":\"red\"}    | 400 | unknown value 'color'",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"dry_run\":\"no\"}  | 400 | dry_run",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"template\":\"train/{9..1}\"} | 400 | {9..1} is empty",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"template\":\"\"} | 400 | has no range",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"template\":\"{0..99999999}\"} | 400 | 10000000",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"template\":\"val/{1..9}\"} | 404 | begins with 'val/'",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"prefix\":\"t\",\"template\":\"t{1..9}\"} | 400 | not two of them",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"prefix\":\"t\",\"list\":[\"t\"]} | 400 | not two of them",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"list\":[]} | 400 | no names",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"list\":\"train/a\"} | 400 | array of names",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"list\":[7]} | 400 | names only",
                "{\"kind\":\"evict\",\"bucket\":\"sets\",\"list\":[\"\\ud800\"]} | 400 | no Unicode",
                "{\"kind\":\"evict\",\"bucket\":\"sets\",\"template\":\"\\ud800{0..9}\"} | 400 | no Unicode",
                "{\"kind\":\"evict\",\"bucket\":\"native\"} | 400 | native has no backend",
                "{\"kind\":\"evict\",\"bucket\":\"sets\"} | 404 | No object of sets is cached",
                "{\"kind\":\"evict\",\"bucket\":\"warm\",\"prefix\":\"b\"} | 404 | no cached key that begins with 'b'",
                "{\"kind\":\"evict\",\"bucket\":\"pinned\"} | 400 | sluice bucket set pinned --evict auto",
                "[]                                                               | 400 | kind",
                "{                                                                | 400 | end-of-input",
            })
    void jobThatCannotBeIsRefused(String message, int status, String reason) {
        setsInTheCloud("train/a");
        cluster.bucket("native");
        cluster.target(2).keys(cluster.backed("warm").id()).add("a");
        cluster.bucket("pinned", pinned());
        var refused = cluster.send("POST /v1/jobs", message);
        assertThat(refused.status()).isEqualTo(status);
        assertThat(TrialCluster.text(refused)).contains(reason);
        assertThat(cluster.control.confirm().jobs().jobs()).isEmpty();
    }

    @Test
    void listOfNamesIsInTheRecordAndItsSizeIsShown() throws IOException {
        setsInTheCloud("train/a");
        var job = sent(
                "POST /v1/jobs",
                "{\"kind\":\"prefetch\",\"bucket\":\"sets\",\"list\":[\"train/a\",\"train/b\",\"train/a\"]}");
        assertThat(job.path("names").asInt()).isEqualTo(2);
        var record = cluster.control.confirm().jobs().find(job.path("id").asText());
        assertThat(record.orElseThrow().spec().list().orElseThrow().names()).containsExactly("train/a", "train/b");
    }

    @Test
    void cachedKeysAreThoseOfAllTargetsPageByPage() throws IOException {
        var sets = cluster.backed("sets");
        cluster.targets.values().forEach(target -> target.cloud().add("train/cold"));
        for (int i = 0; i < 1500; i++) {
            cluster.target(i % 3 + 1).keys(sets.id()).add("train/%04d".formatted(i));
        }
        cluster.target(2).keys(sets.id()).add("train/0000"); // also where it is not the primary
        cluster.target(3).keys(sets.id()).add("val/a");
        var first = sent("GET /v1/cached/sets?prefix=train%2F", "");
        assertThat(first.path("objects").findValuesAsText("key")).hasSize(1000).contains("train/0000", "train/0999");
        assertThat(first.path("next").asText()).isEqualTo("train/0999");
        var second = sent("GET /v1/cached/sets?after=train%2F0999&prefix=train%2F", "");
        assertThat(second.path("objects").findValuesAsText("key")).hasSize(500).contains("train/1499");
        assertThat(second.path("next").isNull()).isTrue();
        var folded = sent("GET /v1/cached/sets?delimiter=%2F", "");
        assertThat(folded.path("prefixes")).extracting(JsonNode::asText).containsExactly("train/", "val/");

        cluster.bucket("native");
        assertThat(cluster.send("GET /v1/cached/native", "").status()).isEqualTo(400);
        assertThat(cluster.send("GET /v1/cached/none", "").status()).isEqualTo(404);
        cluster.target(3).silence(true);
        assertThat(cluster.send("GET /v1/cached/sets", "").status()).isEqualTo(503);
    }

    private static BucketProperties pinned() {
        var usual = BucketProperties.defaults(Optional.of(BackendSpec.of("s3://cloud")));
        return new BucketProperties(
                usual.backend(),
                usual.durability(),
                usual.documents(),
                usual.route(),
                usual.localCopies(),
                usual.replicas(),
                usual.minInSync(),
                usual.quota(),
                new CacheRules(Revalidate.NEVER, CacheRules.Evict.NEVER, CacheRules.ColdRange.FILL));
    }

    @Test
    void evictionNeedsACachedObjectOnSomeTarget() throws IOException {
        var keys = cluster.target(2).keys(cluster.backed("sets").id());
        keys.add("train/a");
        cluster.target(1).silence(true);
        var message = "{\"kind\":\"evict\",\"bucket\":\"sets\",\"prefix\":\"train/\"}";
        var job = sent("POST /v1/jobs", message);
        assertThat(job.path("id").asText()).matches("evict-[a-z0-9]{8}");
        assertThat(job.path("kind").asText()).isEqualTo("evict");
        keys.clear();
        var unknown = cluster.send("POST /v1/jobs", message);
        assertThat(unknown.status()).as("the silent target may have some").isEqualTo(503);
    }

    @Test
    void anyTargetCanAskTheCloud() throws IOException {
        setsInTheCloud("train/a");
        for (int silent = 1; silent <= 3; silent++) {
            int only = silent;
            for (int i = 1; i <= 3; i++) {
                cluster.target(i).silence(i != only);
            }
            assertThat(started()).startsWith("prefetch-");
        }
        cluster.target(3).silence(true);
        assertThat(cluster.send("POST /v1/jobs", PREFETCH).status()).isEqualTo(503);
    }

    @Test
    void unknownJobsAndMethodsAreRefused() {
        assertThat(TrialCluster.text(cluster.send("GET /v1/jobs/prefetch-1", "")))
                .contains("NoSuchJob", "prefetch-1");
        assertThat(cluster.send("DELETE /v1/jobs/prefetch-1", "").status()).isEqualTo(404);
        assertThat(cluster.send("PUT /v1/jobs/prefetch-1", "").status()).isEqualTo(405);
        assertThat(cluster.send("DELETE /v1/jobs", "").status()).isEqualTo(405);
        assertThat(cluster.answer(SignedRequest.anonymous("GET /v1/jobs")))
                .isInstanceOfSatisfying(
                        dev.sluice.common.http.Response.class,
                        response -> assertThat(response.status()).isEqualTo(403));
    }

    @Test
    void progressIsWhatTheControllerAndTheTargetsKnow() throws IOException {
        setsInTheCloud("train/a");
        var id = started();
        ends(id, 1, part(JobState.DONE, 5));
        cluster.target(1).tellsOfJobs(live(id, part(JobState.DONE, 5), 5L));
        cluster.target(2).tellsOfJobs(live(id, part(JobState.RUNNING, 7, new JobFailure("train/x", "gone")), 20L));
        cluster.target(3).silence(true);
        var job = sent("GET /v1/jobs/" + id, "");
        assertThat(job.path("done").asInt()).isEqualTo(12);
        assertThat(job.path("failed").asInt()).isEqualTo(1);
        assertThat(job.path("bytes_per_second").asInt()).isEqualTo(100);
        assertThat(job.path("objects_all").isNull())
                .as("one target does not tell")
                .isTrue();
        assertThat(job.path("failures").toString()).contains("train/x", "gone");
        assertThat(job.path("targets").findValuesAsText("state")).containsExactly("done", "running", "unknown");

        ends(id, 3, part(JobState.DONE, 1));
        var whole = sent("GET /v1/jobs/" + id, "");
        assertThat(whole.path("objects_all").asInt()).isEqualTo(26);
        assertThat(whole.path("seconds_left").asInt()).isEqualTo(9);
        assertThat(sent("GET /v1/jobs", "").path(0).path("done").asInt()).isEqualTo(13);
    }

    private static LiveJob live(String id, JobPart part, long all) {
        boolean runs = part.state() == JobState.RUNNING;
        return new LiveJob(id, part, Optional.of(all), runs ? 100 : 0, runs ? Optional.of(9L) : Optional.empty());
    }

    @Test
    void stoppedJobKeepsWhatItHadDone() throws IOException {
        setsInTheCloud("train/a");
        var id = started();
        ends(id, 1, part(JobState.DONE, 5));
        cluster.target(2).tellsOfJobs(live(id, part(JobState.RUNNING, 7, new JobFailure("train/x", "gone")), 20L));
        var stopped = sent("DELETE /v1/jobs/" + id, "");
        assertThat(stopped.path("state").asText()).isEqualTo("stopped");
        assertThat(stopped.path("done").asInt()).isEqualTo(12);
        assertThat(cluster.control.confirm().jobs().find(id).orElseThrow().failures())
                .containsExactly(new JobFailure("train/x", "gone"));
        assertThat(sent("DELETE /v1/jobs/" + id, "").path("done").asInt()).isEqualTo(12);
    }

    /// What the record has no room for.
    @Test
    void failuresOfAnEndedJobAreAskedOfTheTargets() throws IOException {
        setsInTheCloud("train/a");
        var id = started();
        var failures = new JobFailure[60];
        for (int i = 0; i < failures.length; i++) {
            failures[i] = new JobFailure("train/%04d".formatted(i), "no such key");
        }
        for (int target = 1; target <= 3; target++) {
            var ended = part(JobState.DONE, 1, failures);
            ends(id, target, ended.shortened());
            cluster.target(target).tellsOfJobs(live(id, ended, 61L));
        }
        assertThat(sent("GET /v1/jobs/" + id, "").path("failures")).hasSize(100);
        for (int target = 1; target <= 3; target++) {
            cluster.target(target).tellsOfJobs();
        }
        assertThat(sent("GET /v1/jobs/" + id, "").path("failures").size()).isBetween(1, 9);
    }
}
