package dev.sluice.targetnode.job;

import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobFailure;
import dev.sluice.common.jobs.JobPart;
import dev.sluice.common.jobs.JobPosition;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.peer.LiveJob;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.pace.RateLimiter;
import dev.sluice.targetnode.storage.pace.Throughput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This target's part of one job: walks the job's keys page by page and works on its own, some at once. Requests go
/// first. After a restart it begins where its last known position was, and skips what is done behind it.
///
/// A second walk counts the keys at the same time, so that there is an estimate of the end.
final class JobRun implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

    /// What an object costs besides its bytes.
    private static final long EACH = 64 << 10;
    private static final int ATTEMPTS = 4;
    /// Before the first repetition; doubled for each one after it.
    static final Duration PAUSE = Duration.ofSeconds(1);

    /// So many objects in a row that the cloud does not give mean that it is away, or refuses all.
    private static final int AWAY = 16;
    /// After so many objects that no repetition helped, nothing is repeated: else a drive that is away costs hours.
    private static final int MOST_EXHAUSTED = 64;

    private final Job job;
    private final JobWork work;
    private final JobTotals totals;
    private final Limits limits;
    private final Positions positions;
    private final RateLimiter pace;
    private final Semaphore begun; // objects
    private final Semaphore slots; // connections
    private final Throughput speed;
    private Optional<Thread> walker = Optional.empty();

    // guarded by this
    private JobCounts counts = JobCounts.NONE;
    private long listedBytes;
    private long finishedWork;
    private int awayInRow;
    private int exhausted;
    private final List<JobFailure> failures = new ArrayList<>();
    private Optional<JobEnded> ended = Optional.empty();
    private JobState state = JobState.RUNNING;
    private Optional<Counted> all = Optional.empty();

    /// How a job may use this target.
    ///
    /// @param atOnce connections to the cloud that one job uses at once
    /// @param threads where steps run
    /// @param pause before the first repetition of what a cloud or drive did not give
    /// @param working connections of all jobs that are in use now
    record Limits(
            int atOnce,
            Foreground foreground,
            AtomicInteger working,
            ExecutorService threads,
            Duration pause,
            Clock clock) {}

    /// The objects of this target, and their bytes.
    private record Counted(long objects, long bytes) {}

    /// All objects before `from` are worked on, and counted.
    record Reached(String from, JobCounts counts, List<JobFailure> failures) {}

    /// Where the part begins, and who is told how far it is.
    interface Positions {
        Positions NONE = new Positions() {};

        default Optional<JobPosition> begin() {
            return Optional.empty();
        }

        /// Whether it is to be told now. Never blocks.
        default boolean isDue() {
            return false;
        }

        /// Never blocks.
        default void reached(Reached reached) {}
    }

    /// How many requests wait for the drives.
    interface Foreground {
        /// @param own how many objects all jobs work on now
        int waiting(int own);
    }

    /// @param totals of all jobs of this target
    JobRun(Job job, JobWork work, JobTotals totals, Limits limits, Positions positions) {
        this.job = job;
        this.work = work;
        this.totals = totals;
        this.limits = limits;
        this.positions = positions;
        positions.begin().ifPresent(position -> {
            counts = position.counts();
            failures.addAll(position.failures());
            listedBytes = counts.bytes();
            finishedWork = EACH * counts.listed() + listedBytes;
        });
        this.begun = new Semaphore(limits.atOnce());
        this.slots = new Semaphore(limits.atOnce(), true); // else a large object waits for ever beside small ones
        this.pace = new RateLimiter(
                limits.clock(),
                () -> limits.foreground().waiting(limits.working().get()));
        this.speed = new Throughput(limits.clock());
    }

    Job job() {
        return job;
    }

    /// Begins nothing more; what is under way ends by itself.
    void stop() {
        end(new JobEnded(JobState.STOPPED, "stopped"));
    }

    @Override
    public void run() {
        synchronized (this) {
            walker = Optional.of(Thread.currentThread());
        }
        try {
            walk();
        } catch (JobEnded end) {
            end(end);
        } catch (InterruptedException _) {
            stop(); // unless it has ended for another reason, which interrupted it
        } catch (RuntimeException | Error bug) {
            LOG.error("job {} cannot go on: a bug", job.id(), bug);
            end(new JobEnded(JobState.FAILED, bug.toString()));
        } finally {
            begun.acquireUninterruptibly(limits.atOnce()); // each step ends, and counts
            finished();
        }
    }

    private synchronized void finished() {
        walker = Optional.empty();
        state = ended.map(JobEnded::state).orElse(JobState.DONE);
        var _ = Thread.interrupted();
    }

    private synchronized void end(JobEnded why) {
        if (isWanted()) {
            ended = Optional.of(why);
            walker.ifPresent(Thread::interrupt);
        }
    }

    private synchronized boolean isWanted() {
        return ended.isEmpty() && state == JobState.RUNNING;
    }

    private void requireWanted() throws InterruptedException {
        if (!isWanted() || Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    // ---- the walk

    private void walk() throws InterruptedException {
        var from = positions.begin().map(JobPosition::from).orElse("");
        var page = page(from);
        if (page.next().isPresent()) {
            Thread.ofVirtual().name(job.id() + "-count").start(() -> countAll(from));
        }
        begin(page);
        while (page.next().isPresent()) {
            var next = page.next().get();
            if (positions.isDue()) {
                positions.reached(reached(next));
            }
            page = page(next);
            begin(page);
        }
        listedAll();
    }

    /// Waits for what is under way, so that the counts are those of what lies before.
    private Reached reached(String from) throws InterruptedException {
        begun.acquire(limits.atOnce());
        begun.release(limits.atOnce());
        requireWanted(); // else some were left
        synchronized (this) {
            return new Reached(from, counts, List.copyOf(failures));
        }
    }

    private JobPage page(String from) throws InterruptedException {
        requireWanted();
        try {
            var page = attempted(ATTEMPTS, () -> work.selection().page(from));
            add(new JobCounts(0, 0, 0, 0, 0, page.requests()));
            return page;
        } catch (StoreException failure) {
            throw new JobEnded(JobState.FAILED, "the bucket cannot be listed: " + failure.getMessage());
        }
    }

    private void begin(JobPage page) throws InterruptedException {
        add(new JobCounts(page.settled(), 0, page.settled(), 0, 0, 0));
        for (var object : page.items()) {
            if (work.isHere(object.key())) {
                listed(object);
                pace.await(object.size(), 0, this::isWanted);
                begun.acquire();
                begin(object);
            }
        }
    }

    private void begin(JobItem object) throws InterruptedException {
        var held = new Held();
        boolean begins = false;
        try {
            held.change(connections(object));
            limits.threads().execute(() -> {
                try (held) {
                    step(object, held);
                } finally {
                    begun.release();
                }
            });
            begins = true;
        } catch (RejectedExecutionException stopping) {
            throw new JobEnded(JobState.STOPPED, "this target stops");
        } finally {
            if (!begins) {
                held.close();
                begun.release();
            }
        }
    }

    private int connections(JobItem object) {
        return Math.min(work.connections(object), limits.atOnce());
    }

    /// Connections to the cloud, for one object.
    private final class Held implements AutoCloseable {
        private int connections;

        /// None is held while it waits: else objects would wait for each other.
        void change(int number) throws InterruptedException {
            if (number != connections) {
                close();
                slots.acquire(number);
                connections = number;
                limits.working().addAndGet(number);
            }
        }

        @Override
        public void close() {
            limits.working().addAndGet(-connections);
            slots.release(connections);
            connections = 0;
        }
    }

    // ---- a step

    private void step(JobItem object, Held held) {
        try {
            requireWanted();
            done(object, attempted(attempts(), () -> work.step(known(object, held))));
        } catch (JobEnded end) {
            end(end);
        } catch (StoreException.BackendUnavailable failure) {
            failed(object, String.valueOf(failure.getMessage()));
            inRow("the cloud does not answer; start the job again later, it skips what is stored: ", failure);
        } catch (StoreException.BackendDenied failure) { // it may be this object only: an archived one, another key
            failed(object, String.valueOf(failure.getMessage()));
            inRow("the cloud refuses: ", failure);
        } catch (StoreException failure) {
            failed(object, String.valueOf(failure.getMessage()));
        } catch (InterruptedException _) {
            LOG.debug("job {} leaves {}", job.id(), object.key());
        } catch (RuntimeException | Error bug) {
            LOG.error("job {} cannot work on {}: a bug", job.id(), object.key(), bug);
            failed(object, bug.toString());
        }
    }

    /// An object that was named only may be a large one, for which more connections are used.
    private JobItem known(JobItem object, Held held) throws InterruptedException {
        if (object.etag().isPresent()) {
            return object;
        }
        var known = work.asked(object);
        if (known.equals(object)) {
            return object;
        }
        add(new JobCounts(0, 0, 0, 0, 0, 1));
        held.change(connections(known));
        requireWanted();
        return known;
    }

    /// What a cloud or drive does not give now is asked for again a few times.
    private <T> T attempted(int most, Callable<T> request) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return request.call();
            } catch (StoreException.BackendUnavailable | StoreException.Unavailable later) {
                requireWanted();
                if (attempt >= most) {
                    exhausted();
                    throw later;
                }
                var pause = limits.pause().multipliedBy(1L << (attempt - 1));
                pause(
                        later instanceof StoreException.Unavailable named
                                        && named.retryAfter().compareTo(pause) > 0
                                ? named.retryAfter()
                                : pause);
            } catch (InterruptedException | RuntimeException e) {
                throw e;
            } catch (Exception checked) {
                throw new IllegalStateException(checked);
            }
        }
    }

    /// Ends early when the job does.
    private void pause(Duration time) throws InterruptedException {
        for (var left = time; left.isPositive(); left = left.minus(PAUSE)) {
            requireWanted();
            Thread.sleep(left.compareTo(PAUSE) < 0 ? left : PAUSE);
        }
    }

    private synchronized int attempts() {
        return exhausted < MOST_EXHAUSTED ? ATTEMPTS : 1;
    }

    private synchronized void exhausted() {
        exhausted++;
    }

    private synchronized void done(JobItem object, StepResult result) {
        awayInRow = 0;
        exhausted = 0;
        int changed = result.changed() ? 1 : 0;
        add(new JobCounts(0, changed, 1 - changed, 0, result.bytes(), result.requests()));
        finished(object);
        if (!job.spec().dryRun()) {
            totals.finished(result);
        }
    }

    private synchronized void failed(JobItem object, String why) {
        add(new JobCounts(0, 0, 0, 1, 0, 1));
        if (failures.size() < JobPart.MOST_FAILURES) {
            failures.add(new JobFailure(object.key(), why));
        }
        finished(object);
        totals.failed();
    }

    /// @param what it means when many come one after the other
    private synchronized void inRow(String what, StoreException failure) {
        awayInRow++;
        if (awayInRow >= AWAY) {
            end(new JobEnded(JobState.FAILED, what + failure.getMessage()));
        }
    }

    private synchronized void finished(JobItem object) {
        finishedWork += EACH + object.size();
        speed.at(finishedWork, counts.bytes());
    }

    private synchronized void listed(JobItem object) {
        add(new JobCounts(1, 0, 0, 0, 0, 0));
        listedBytes += object.size();
    }

    private synchronized void listedAll() {
        counted(counts.listed(), listedBytes);
    }

    private synchronized void add(JobCounts more) {
        counts = counts.plus(more);
    }

    // ---- how it stands

    /// @param from before it are the objects that are counted already
    private void countAll(String from) {
        try {
            var before = positions.begin().map(JobPosition::counts).orElse(JobCounts.NONE);
            long objects = before.listed();
            long bytes = before.bytes();
            var after = Optional.of(from);
            while (after.isPresent()) {
                var page = page(after.get());
                requireWanted();
                objects += page.settled();
                for (var object : page.items()) {
                    if (work.isHere(object.key())) {
                        objects++;
                        bytes += object.size();
                    }
                }
                after = page.next();
            }
            counted(objects, bytes);
        } catch (JobEnded | StoreException later) {
            LOG.warn("job {} has no estimate of its end: {}", job.id(), later.getMessage());
        } catch (InterruptedException _) {
            LOG.debug("job {} is not counted to the end", job.id());
        }
    }

    private synchronized void counted(long objects, long bytes) {
        all = Optional.of(new Counted(objects, bytes));
    }

    /// How this part stands or ended.
    synchronized JobPart part() {
        return new JobPart(state, counts, failures, ended.map(JobEnded::reason));
    }

    /// @param named whether failures are
    synchronized LiveJob status(boolean named) {
        boolean runs = state == JobState.RUNNING;
        var part = part();
        return new LiveJob(
                job.id(),
                named ? part : new JobPart(state, counts, List.of(), part.message()),
                all.map(Counted::objects),
                runs ? speed.bytes() : 0,
                runs ? all.flatMap(this::secondsLeft) : Optional.empty());
    }

    private Optional<Long> secondsLeft(Counted total) {
        return speed.secondsFor(Math.max(0, EACH * total.objects() + total.bytes() - finishedWork));
    }
}
