package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobFailure;
import dev.sluice.common.jobs.JobPart;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.jobs.NameList;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.LiveJob;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Jobs as docs/http-api.md has them: the controller's record, and what the targets tell of parts under way.
final class JobJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobJson() {}

    /// Without failures and targets.
    static ObjectNode summary(Job job, LiveParts live) {
        var open = job.isRunning() ? live.openParts(job).values() : List.<LiveJob>of();
        var counts = open.stream().map(part -> part.part().counts()).reduce(job.counts(), JobCounts::plus);
        var shown = JSON.createObjectNode()
                .put("id", job.id())
                .put("kind", job.spec().kind().text())
                .put("bucket", job.spec().bucket())
                .put("prefix", job.spec().prefix())
                .put("template", job.spec().template().orElse(null))
                .put("names", job.spec().list().map(NameList::count).orElse(null))
                .put("dry_run", job.spec().dryRun())
                .put("author", job.author())
                .put("state", job.state().text())
                .put("message", job.message().orElse(null))
                .put("created_millis", job.createdMillis())
                .put("ended_millis", job.endedMillis());
        add(shown, counts);
        if (job.isRunning()) {
            shown.put("objects_all", objectsAll(job, live).orElse(null))
                    .put(
                            "bytes_per_second",
                            open.stream().mapToLong(LiveJob::bytesPerSecond).sum())
                    .put("seconds_left", secondsLeft(job, live).orElse(null));
        }
        return shown;
    }

    private static void add(ObjectNode shown, JobCounts counts) {
        shown.put("listed", counts.listed())
                .put("done", counts.done())
                .put("skipped", counts.skipped())
                .put("failed", counts.failed())
                .put("bytes", counts.bytes())
                .put("requests", counts.requests());
    }

    /// Empty until all targets have counted theirs.
    private static Optional<Long> objectsAll(Job job, LiveParts live) {
        var open = live.openParts(job).values();
        if (!live.isWhole(job)
                || open.stream().anyMatch(part -> part.objectsAll().isEmpty())) {
            return Optional.empty();
        }
        long ended = job.parts().values().stream()
                .mapToLong(part -> part.counts().listed())
                .sum();
        return Optional.of(ended
                + open.stream()
                        .mapToLong(part -> part.objectsAll().orElseThrow())
                        .sum());
    }

    /// Of the slowest target; empty when one of them cannot tell.
    private static Optional<Long> secondsLeft(Job job, LiveParts live) {
        var open = live.openParts(job).values().stream()
                .filter(part -> part.part().state() == JobState.RUNNING)
                .toList();
        if (!live.isWhole(job)
                || open.stream().anyMatch(part -> part.secondsLeft().isEmpty())) {
            return Optional.empty();
        }
        return open.stream().map(part -> part.secondsLeft().orElseThrow()).max(Long::compare);
    }

    static ObjectNode show(Job job, LiveParts live) {
        var shown = summary(job, live);
        var failures = shown.putArray("failures");
        failures(job, live)
                .forEach(failure ->
                        failures.addObject().put("key", failure.key()).put("why", failure.why()));
        var targets = shown.putArray("targets");
        parts(job, live)
                .forEach((target, part) -> add(
                        targets.addObject()
                                .put("target", target.value())
                                .put("state", part.state().text())
                                .put("message", part.message().orElse(null)),
                        part.counts()));
        if (job.isRunning()) {
            live.errors().forEach((target, error) -> without(job, targets, target, "unknown", error));
            live.without().forEach(target -> without(job, targets, target, "waiting", null));
        }
        return shown;
    }

    private static void without(Job job, ArrayNode targets, NodeId target, String state, @Nullable String error) {
        if (!job.parts().containsKey(target)) {
            targets.addObject()
                    .put("target", target.value())
                    .put("state", state)
                    .put("message", error);
        }
    }

    /// What the targets tell says more than the record.
    private static SortedMap<NodeId, JobPart> parts(Job job, LiveParts live) {
        var parts = new TreeMap<>(job.parts());
        live.parts().forEach((target, told) -> parts.put(target, told.part()));
        return parts;
    }

    private static List<JobFailure> failures(Job job, LiveParts live) {
        var told = parts(job, live).values().stream()
                .flatMap(part -> part.failures().stream())
                .limit(JobPart.MOST_FAILURES)
                .toList();
        return told.size() >= job.failures().size() ? told : job.failures();
    }
}
