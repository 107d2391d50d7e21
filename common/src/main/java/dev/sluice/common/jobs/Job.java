package dev.sluice.common.jobs;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.common.name.NodeId;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The controller's record of a job. Each target works on its own keys, and reports the end of its part. The job ends
/// with the last part, or when an operator stops it. The record of a job that has ended has at most 1 KiB.
///
/// @param author the access key of who started it
/// @param endedMillis in milliseconds since 1970; 0 while it runs
/// @param message why it is neither running nor done
/// @param counts of the parts that have ended
/// @param failures the first ones, of a job that has ended; as many as there is room for
/// @param parts those that have ended, by target, while the job runs
/// @param positions of the others, as far as they are known
public record Job(
        String id,
        JobSpec spec,
        String author,
        long createdMillis,
        JobState state,
        long endedMillis,
        Optional<String> message,
        JobCounts counts,
        List<JobFailure> failures,
        SortedMap<NodeId, JobPart> parts,
        SortedMap<NodeId, JobPosition> positions) {
    private static final int AUTHOR_BYTES = 64;
    private static final int SELECTION_BYTES = 200;
    private static final int FAILURES_BYTES = 160;

    public Job {
        failures = List.copyOf(failures);
        parts = Collections.unmodifiableSortedMap(new TreeMap<>(parts));
        positions = Collections.unmodifiableSortedMap(new TreeMap<>(positions));
    }

    /// @param positions missing in states of builds without them
    @JsonCreator
    static Job read(
            @JsonProperty("id") String id,
            @JsonProperty("spec") JobSpec spec,
            @JsonProperty("author") String author,
            @JsonProperty("createdMillis") long createdMillis,
            @JsonProperty("state") JobState state,
            @JsonProperty("endedMillis") long endedMillis,
            @JsonProperty("message") Optional<String> message,
            @JsonProperty("counts") JobCounts counts,
            @JsonProperty("failures") List<JobFailure> failures,
            @JsonProperty("parts") SortedMap<NodeId, JobPart> parts,
            @JsonProperty("positions") @Nullable SortedMap<NodeId, JobPosition> positions) {
        return new Job(
                id,
                spec,
                author,
                createdMillis,
                state,
                endedMillis,
                message,
                counts,
                failures,
                parts,
                positions == null ? new TreeMap<>() : positions);
    }

    public static Job started(String id, JobSpec spec, String author, long nowMillis) {
        return new Job(
                id,
                spec,
                ShortText.of(author, AUTHOR_BYTES),
                nowMillis,
                JobState.RUNNING,
                0,
                Optional.empty(),
                JobCounts.NONE,
                List.of(),
                new TreeMap<>(),
                new TreeMap<>());
    }

    @JsonIgnore
    public boolean isRunning() {
        return state == JobState.RUNNING;
    }

    /// The same job with the end of a target's part; the second report of a target changes nothing.
    ///
    /// @param targets all that have a part
    Job with(NodeId target, JobPart part, Set<NodeId> targets, long nowMillis) {
        if (!isRunning() || parts.containsKey(target)) {
            return this;
        }
        var all = new TreeMap<>(parts);
        all.put(target, part.shortened());
        if (!all.keySet().containsAll(targets)) {
            return new Job(
                    id,
                    spec,
                    author,
                    createdMillis,
                    state,
                    endedMillis,
                    message,
                    counts.plus(part.counts()),
                    failures,
                    all,
                    without(target));
        }
        return ended(worst(all), all, nowMillis);
    }

    private SortedMap<NodeId, JobPosition> without(NodeId target) {
        var others = new TreeMap<>(positions);
        others.remove(target);
        return others;
    }

    /// The same job with the position of a target's part that has not ended.
    Job at(NodeId target, JobPosition position) {
        if (!isRunning() || parts.containsKey(target) || !position.canBeKept()) {
            return this;
        }
        var all = without(target);
        all.put(target, position);
        return new Job(id, spec, author, createdMillis, state, endedMillis, message, counts, failures, parts, all);
    }

    private static JobState worst(SortedMap<NodeId, JobPart> parts) {
        return parts.values().stream().map(JobPart::state).max(Enum::compareTo).orElse(JobState.DONE);
    }

    /// @param others parts that have not ended, as they stood
    Job stopped(SortedMap<NodeId, JobPart> others, long nowMillis) {
        var all = new TreeMap<>(others);
        all.putAll(parts);
        return isRunning() ? ended(JobState.STOPPED, all, nowMillis) : this;
    }

    private Job ended(JobState how, SortedMap<NodeId, JobPart> all, long nowMillis) {
        var total = all.values().stream().map(JobPart::counts).reduce(JobCounts.NONE, JobCounts::plus);
        var failed =
                all.values().stream().flatMap(part -> part.failures().stream()).toList();
        return new Job(
                id,
                spec.shortened(SELECTION_BYTES),
                author,
                createdMillis,
                how,
                nowMillis,
                why(how, all),
                total,
                JobPart.first(failed, FAILURES_BYTES),
                new TreeMap<>(),
                new TreeMap<>());
    }

    private static Optional<String> why(JobState how, SortedMap<NodeId, JobPart> parts) {
        return parts.entrySet().stream()
                .filter(each -> each.getValue().state() == how)
                .flatMap(each -> each.getValue().message().stream().map(text -> each.getKey() + ": " + text))
                .findFirst()
                .map(text -> ShortText.of(text, JobPart.MESSAGE_BYTES));
    }
}
