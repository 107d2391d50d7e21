package dev.sluice.proxy.api;

import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobPart;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.LiveJob;
import dev.sluice.proxy.gateway.TargetFanout;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// How the targets' parts of one job stand, as the targets tell it now.
///
/// @param errors why a target does not tell
/// @param without the targets that know no part of it: it waits for other jobs, or its end is forgotten
record LiveParts(SortedMap<NodeId, LiveJob> parts, SortedMap<NodeId, String> errors, SortedSet<NodeId> without) {
    /// What one target tells of its jobs.
    record Answer(List<LiveJob> jobs, Optional<String> error) {}

    /// All that the targets tell.
    record All(SortedMap<NodeId, Answer> answers) {
        /// @param id of the only job that is meant; without it, failures are not named
        static All ask(TargetFanout targets, Optional<String> id) {
            var all = new TreeMap<NodeId, Answer>();
            targets.answers(
                            target -> new Answer(target.jobs(id), Optional.empty()),
                            failure -> new Answer(List.of(), Optional.of(String.valueOf(failure.getMessage()))))
                    .forEach((target, answer) -> all.put(new NodeId(target), answer));
            return new All(all);
        }

        LiveParts of(String id) {
            var parts = new TreeMap<NodeId, LiveJob>();
            var errors = new TreeMap<NodeId, String>();
            answers.forEach((target, answer) -> {
                answer.error().ifPresent(error -> errors.put(target, error));
                answer.jobs().stream().filter(job -> job.id().equals(id)).forEach(job -> parts.put(target, job));
            });
            var without = new TreeSet<>(answers.keySet());
            without.removeAll(parts.keySet());
            without.removeAll(errors.keySet());
            return new LiveParts(parts, errors, without);
        }
    }

    /// Those that the controller does not know the end of.
    SortedMap<NodeId, LiveJob> openParts(Job job) {
        var open = new TreeMap<>(parts);
        open.keySet().removeAll(job.parts().keySet());
        return open;
    }

    /// Whether each part is known, ended or not.
    boolean isWhole(Job job) {
        return job.parts().keySet().containsAll(errors.keySet())
                && job.parts().keySet().containsAll(without);
    }

    /// As they stand, for the record of a job that is stopped.
    SortedMap<NodeId, JobPart> shortened(Job job) {
        var stand = new TreeMap<NodeId, JobPart>();
        openParts(job).forEach((target, live) -> stand.put(target, live.part().shortened()));
        return stand;
    }
}
