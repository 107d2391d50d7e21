package dev.sluice.cli.command.job;

import com.fasterxml.jackson.databind.JsonNode;

/// What a job has done with its objects, in words. A new kind of job needs a line here.
///
/// @param done objects that it changed
/// @param toDo those that it would change, in a dry run
/// @param skipped objects that needed no work
record JobWords(String done, String toDo, String skipped) {
    static JobWords of(JsonNode job) {
        return switch (job.path("kind").asText()) {
            case "prefetch" -> new JobWords("fetched", "to fetch", "cached already");
            case "evict" -> new JobWords("evicted", "to evict", "changed since");
            case "refresh" -> new JobWords("changed in the cloud", "changed in the cloud", "unchanged");
            case "index" -> new JobWords("indexed", "to index", "no shards");
            default -> new JobWords("done", "to do", "skipped"); // of a newer cluster
        };
    }
}
