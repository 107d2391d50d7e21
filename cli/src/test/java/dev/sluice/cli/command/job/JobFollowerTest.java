package dev.sluice.cli.command.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sluice.cli.failure.CommandFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class JobFollowerTest {
    private static JsonNode json(String text) throws JsonProcessingException {
        return new JsonMapper().readTree(text);
    }

    @Test
    void progressShowsObjectsBytesRateAndEnd() throws JsonProcessingException {
        var job = json("""
                {"done":50,"skipped":20,"failed":5,"bytes":52428800,"objects_all":100,
                 "bytes_per_second":10485760,"seconds_left":75}""");
        assertThat(JobFollower.progress(job))
                .isEqualTo("[===============     ] 75 of 100 objects, 50.0 MiB, 10.0 MiB/s, 1m15s left");
    }

    @Test
    void progressDoesWithoutATotalAndAnEnd() throws JsonProcessingException {
        var job = json("""
                {"done":3,"skipped":0,"failed":0,"bytes":3,"objects_all":null,"bytes_per_second":1,
                 "seconds_left":null}""");
        assertThat(JobFollower.progress(job)).isEqualTo("3 objects, 3 B, 1 B/s");
    }

    @Test
    void summaryOfADryRunSaysWhatItWouldFetch() throws JsonProcessingException {
        var job = json("""
                {"id":"prefetch-1","kind":"prefetch","state":"done","dry_run":true,"done":3,"skipped":1,"failed":0,"bytes":2048,
                 "requests":4}""");
        assertThat(JobFollower.summary(job))
                .isEqualTo("prefetch-1 done: 3 to fetch (2.0 KiB), by 4 requests, 1 cached already, 0 failed");
    }

    /// As a cluster whose node is started again.
    @Test
    void clusterThatDoesNotAnswerIsAskedAgain() throws JsonProcessingException, InterruptedException {
        var notices = new ArrayList<String>();
        var asked = new AtomicInteger();
        var job = JobFollower.look(
                "x-1",
                id -> {
                    if (asked.incrementAndGet() < 4) {
                        throw CommandFailure.passing("no connection");
                    }
                    return new TextNode(id);
                },
                notices::add,
                Duration.ofSeconds(60),
                Duration.ofMillis(1));
        assertThat(job.asText()).isEqualTo("x-1");
        assertThat(asked).hasValue(4);
        assertThat(notices).containsExactly("no connection; asking again for 60 s");
    }

    @Test
    void clusterThatStaysAwayEndsTheWaitAndSaysHowToGoOn() {
        assertThatThrownBy(() -> JobFollower.look(
                        "x-1",
                        _ -> {
                            throw CommandFailure.passing("no connection");
                        },
                        _ -> {},
                        Duration.ofMillis(20),
                        Duration.ofMillis(1)))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no connection")
                .hasMessageContaining("sluice job wait x-1");
    }

    @Test
    void refusalEndsTheWaitAtOnce() {
        var asked = new AtomicInteger();
        assertThatThrownBy(() -> JobFollower.look(
                        "x-1",
                        _ -> {
                            asked.incrementAndGet();
                            throw CommandFailure.failed("NoSuchJob");
                        },
                        _ -> {},
                        Duration.ofSeconds(60),
                        Duration.ofMillis(1)))
                .hasMessage("NoSuchJob");
        assertThat(asked).hasValue(1);
    }

    @Test
    void summaryHasTheWordsOfTheKind() throws JsonProcessingException {
        var job = """
                {"id":"x-1","kind":"%s","state":"done","dry_run":false,"done":3,"skipped":1,"failed":0,"bytes":2048}""";
        assertThat(JobFollower.summary(json(job.formatted("evict"))))
                .isEqualTo("x-1 done: 3 evicted (2.0 KiB), 1 changed since, 0 failed");
        assertThat(JobFollower.summary(json(job.formatted("newer"))))
                .isEqualTo("x-1 done: 3 done (2.0 KiB), 1 skipped, 0 failed");
    }
}
