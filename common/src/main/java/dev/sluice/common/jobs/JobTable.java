package dev.sluice.common.jobs;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// The jobs that run, and the last ones that ended.
public record JobTable(SortedMap<String, Job> jobs) {
    public static final JobTable EMPTY = new JobTable(new TreeMap<>());

    static final int MOST_RUNNING = 100;
    static final int MOST_ENDED = 1000;

    /// The state has their names.
    static final int MOST_LISTS = 8;

    public JobTable {
        jobs = Collections.unmodifiableSortedMap(new TreeMap<>(jobs));
    }

    public Optional<Job> find(String id) {
        return Optional.ofNullable(jobs.get(id));
    }

    /// In the order in which they were started.
    public List<Job> running() {
        return jobs.values().stream()
                .filter(Job::isRunning)
                .sorted(Comparator.comparingLong(Job::createdMillis).thenComparing(Job::id))
                .toList();
    }

    /// @throws StoreException.InvalidArgument when too many run
    public JobTable starting(Job job) {
        if (jobs.containsKey(job.id())) {
            return this; // a repeated command
        }
        if (running().size() >= MOST_RUNNING) {
            throw new StoreException.InvalidArgument(
                    "%d jobs run already: wait for one of them, or stop it (sluice job ls)".formatted(MOST_RUNNING));
        }
        if (job.spec().list().isPresent() && lists() >= MOST_LISTS) {
            throw new StoreException.InvalidArgument(
                    "%d jobs with lists run already: wait for one of them, or stop it (sluice job ls)"
                            .formatted(MOST_LISTS));
        }
        return with(job);
    }

    private long lists() {
        return running().stream().filter(job -> job.spec().list().isPresent()).count();
    }

    /// A target has ended its part.
    ///
    /// @param targets all that have a part
    public JobTable partEnded(String id, NodeId target, JobPart part, Set<NodeId> targets, long nowMillis) {
        return find(id).map(job -> with(job.with(target, part, targets, nowMillis)))
                .orElse(this);
    }

    /// A target has worked up to here.
    public JobTable moved(String id, NodeId target, JobPosition position) {
        return find(id).map(job -> with(job.at(target, position))).orElse(this);
    }

    /// @param parts of those that have not ended, as they stood
    public JobTable stopping(String id, SortedMap<NodeId, JobPart> parts, long nowMillis) {
        return find(id).map(job -> with(job.stopped(parts, nowMillis))).orElse(this);
    }

    private JobTable with(Job job) {
        var next = new TreeMap<>(jobs);
        next.put(job.id(), job);
        next.values().stream()
                .filter(each -> !each.isRunning())
                .sorted(Comparator.comparingLong(Job::endedMillis)
                        .thenComparing(Job::id)
                        .reversed())
                .skip(MOST_ENDED)
                .toList()
                .forEach(old -> next.remove(old.id()));
        return new JobTable(next);
    }

    /// What a later table has otherwise: id → job, empty for one that it has forgotten.
    @SuppressWarnings("ReferenceEquality") // most changes of a state leave its jobs as they are
    public SortedMap<String, Optional<Job>> changesTo(JobTable later) {
        if (later == this) {
            return Collections.emptySortedMap();
        }
        var ids = new TreeSet<>(jobs.keySet());
        ids.addAll(later.jobs.keySet());
        var changes = new TreeMap<String, Optional<Job>>();
        for (var id : ids) {
            if (!later.find(id).equals(find(id))) {
                changes.put(id, later.find(id));
            }
        }
        return changes;
    }

    /// The later table of [#changesTo].
    public JobTable changed(SortedMap<String, Optional<Job>> changes) {
        if (changes.isEmpty()) {
            return this;
        }
        var next = new TreeMap<>(jobs);
        changes.forEach((id, job) -> job.ifPresentOrElse(now -> next.put(id, now), () -> next.remove(id)));
        return new JobTable(next);
    }
}
