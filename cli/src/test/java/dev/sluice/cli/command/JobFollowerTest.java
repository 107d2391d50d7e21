package dev.sluice.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

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
