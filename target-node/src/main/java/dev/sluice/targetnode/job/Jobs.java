package dev.sluice.targetnode.job;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.LiveJob;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootId;
import dev.sluice.targetnode.shard.BatchAnswers;
import dev.sluice.targetnode.storage.pace.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs this target's parts of the jobs that the controller has: each part that has not ended, the oldest jobs first.
/// So a part goes on when the target was restarted, from its last known position. The controller is told of its end
/// until it has taken it.
public final class Jobs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
    private static final int MOST_AT_ONCE = 2;
    private static final int MOST_CONNECTIONS = 16;
    private static final int ENDED_KEPT = 32;
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);
    private static final Duration TRY_AGAIN = Duration.ofMillis(500);

    private final NodeId self;
    private final ControlPlane control;
    private final Map<JobKind, Function<JobSpec, JobWork>> works;
    private final JobRun.Limits limits;
    private final JobPositions positions;
    private final Map<JobKind, JobTotals> totals = new HashMap<>(); // filled once

    // guarded by this
    private final Map<String, JobRun> running = new TreeMap<>();
    private final Map<String, Thread> runners = new TreeMap<>();
    private final ArrayDeque<JobRun> ended = new ArrayDeque<>(); // the last ones, for their failures
    private final Set<String> unknown = new TreeSet<>(); // jobs that are logged as such
    private Optional<Thread> follower = Optional.empty();
    private volatile boolean closed;

    /// @param works what a job of each kind does
    /// @param drives ids of those that serve
    Jobs(
            NodeId self,
            ControlPlane control,
            Map<JobKind, Function<JobSpec, JobWork>> works,
            Supplier<Set<String>> drives,
            JobRun.Limits limits) {
        this.self = self;
        this.control = control;
        this.works = Map.copyOf(works);
        this.limits = limits;
        this.positions = new JobPositions(self, control, bootId(), drives, limits.clock());
        this.works.keySet().forEach(kind -> totals.put(kind, new JobTotals()));
    }

    /// Of this target's store. All jobs together leave half of a cloud's connections to readers.
    public static Jobs of(ControlPlane control, JobTools tools, BatchAnswers batches) {
        int share = tools.backends().maxConnections() / 2 / MOST_AT_ONCE;
        var store = tools.store();
        return new Jobs(
                tools.self(),
                control,
                Map.of(
                        JobKind.PREFETCH, spec -> new Prefetch(spec, tools),
                        JobKind.EVICT, spec -> new Evict(spec, tools.views(), store),
                        JobKind.REFRESH, spec -> new Refresh(spec, tools),
                        JobKind.INDEX, spec -> new IndexShards(spec, tools, batches)),
                store::servingDrives,
                new JobRun.Limits(
                        Math.clamp(share, 1, MOST_CONNECTIONS),
                        store::waiting,
                        new AtomicInteger(),
                        Executors.newVirtualThreadPerTaskExecutor(),
                        JobRun.PAUSE,
                        Clock.SYSTEM));
    }

    /// Where it cannot be read, no position is believed after a restart.
    private static String bootId() {
        try {
            return BootId.read();
        } catch (IOException unreadable) {
            LOG.warn("jobs begin again after a restart of this target: the kernel's boot id is not known", unreadable);
            return UUID.randomUUID().toString();
        }
    }

    /// @param ready whether the drives know what they have
    public synchronized void start(BooleanSupplier ready) {
        follower = Optional.of(Thread.ofVirtual().name("jobs").start(() -> follow(ready)));
    }

    /// How its parts stand: of those that run, and of the last that ended.
    ///
    /// @param id of the only one that is meant; without it, failures are not named
    public synchronized List<LiveJob> status(Optional<String> id) {
        return Stream.concat(running.values().stream(), ended.stream())
                .filter(run -> id.isEmpty() || id.get().equals(run.job().id()))
                .map(run -> run.status(id.isPresent()))
                .toList();
    }

    /// The kinds of jobs that it runs.
    public Set<JobKind> kinds() {
        return Set.copyOf(works.keySet());
    }

    /// Of the jobs of one kind.
    public JobTotals totals(JobKind kind) {
        return Objects.requireNonNull(totals.get(kind));
    }

    public synchronized int running() {
        return running.size();
    }

    // ---- which run

    private void follow(BooleanSupplier ready) {
        long seen = -1;
        while (!closed) {
            try {
                boolean begins = ready.getAsBoolean();
                if (begins) {
                    adjust();
                }
                seen = awaitNewer(seen, begins ? LOOK_AGAIN : TRY_AGAIN);
            } catch (StoreException | ExecutionException later) {
                LOG.debug("jobs wait for the cluster's state: {}", later.getMessage());
                pause();
            } catch (InterruptedException stopping) {
                return;
            } catch (RuntimeException bug) {
                LOG.error("jobs do not follow the cluster's state: a bug", bug);
                pause();
            }
        }
    }

    private long awaitNewer(long seen, Duration limit) throws InterruptedException, ExecutionException {
        var watch = control.watch(seen);
        try {
            return watch.get(limit.toMillis(), TimeUnit.MILLISECONDS).version();
        } catch (TimeoutException nothingNew) {
            watch.cancel(false);
            return seen;
        }
    }

    private void adjust() {
        synchronized (this) {
            if (closed) {
                return;
            }
            var table = control.current().jobs(); // in here: an older state may lack the end of a part
            unknown.retainAll(table.jobs().keySet());
            running.forEach((id, run) -> {
                if (table.find(id).filter(Job::isRunning).isEmpty()) {
                    run.stop();
                }
            });
            for (var job : table.running()) {
                boolean isOurs = !job.parts().containsKey(self) && !running.containsKey(job.id()) && isKnown(job);
                if (isOurs && running.size() < MOST_AT_ONCE) {
                    begin(job);
                }
            }
        }
    }

    /// A newer node started it otherwise: its part waits until this target is newer too.
    private boolean isKnown(Job job) {
        boolean known = works.containsKey(job.spec().kind());
        if (!known && unknown.add(job.id())) {
            LOG.warn(
                    "job {} waits here: this target has no jobs of the kind '{}', upgrade it or stop the job",
                    job.id(),
                    job.spec().kind().text());
        }
        return known;
    }

    private void begin(Job job) {
        var kind = job.spec().kind();
        var work = Objects.requireNonNull(works.get(kind)).apply(job.spec());
        var run = new JobRun(job, work, totals(kind), limits, positions.of(job));
        running.put(job.id(), run);
        runners.put(job.id(), Thread.ofVirtual().name(job.id()).unstarted(() -> run(run)));
        runners.get(job.id()).start();
    }

    private void run(JobRun run) {
        LOG.info("job {} begins on this target", run.job().id());
        run.run();
        var part = run.part();
        LOG.info("job {} on this target: {}, {}", run.job().id(), part.state(), part.counts());
        try {
            report(run);
        } finally {
            synchronized (this) {
                running.remove(run.job().id());
                runners.remove(run.job().id());
                ended.addLast(run);
                if (ended.size() > ENDED_KEPT) {
                    ended.removeFirst();
                }
            }
        }
        try {
            adjust();
        } catch (StoreException later) {
            LOG.debug("the next job begins later: {}", later.getMessage());
        }
    }

    /// Until the controller has taken it, or the job is stopped. What stopped here is not reported: it begins again.
    private void report(JobRun run) {
        var part = run.part();
        var id = run.job().id();
        boolean told = part.state() == JobState.STOPPED;
        while (!told && !closed) {
            try {
                control.apply(new Command.EndJobPart(
                        id, self, part.shortened(), limits.clock().millis()));
                told = true;
            } catch (StoreException later) {
                LOG.debug("the end of job {} is reported later: {}", id, later.getMessage());
                pause();
                told = isOver(id);
            }
        }
    }

    private boolean isOver(String id) {
        try {
            return control.current().jobs().find(id).filter(Job::isRunning).isEmpty();
        } catch (StoreException unknown) {
            return false;
        }
    }

    private static void pause() {
        LockSupport.parkNanos(TRY_AGAIN.toNanos());
    }

    /// Parts that run are left where they are.
    @Override
    public void close() {
        var left = new ArrayList<Thread>();
        synchronized (this) {
            closed = true;
            follower.ifPresent(left::add);
            left.addAll(runners.values());
            running.values().forEach(JobRun::stop);
        }
        limits.threads().shutdownNow();
        left.forEach(Thread::interrupt);
        left.forEach(Await::end);
    }
}
