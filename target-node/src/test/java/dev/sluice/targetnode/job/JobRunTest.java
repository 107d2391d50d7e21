package dev.sluice.targetnode.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobFailure;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobPart;
import dev.sluice.common.jobs.JobPosition;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.pace.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class JobRunTest {
    private static final int PAGE = 10;
    private static final int AT_ONCE = 4;
    private static final long SIZE = 1000;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final JobTotals totals = new JobTotals();
    private final Set<String> done = ConcurrentHashMap.newKeySet();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger working = new AtomicInteger();
    private final Set<Integer> owns = ConcurrentHashMap.newKeySet();
    private int connections = 1;
    private boolean named;
    private JobRun.Positions positions = JobRun.Positions.NONE;

    @AfterEach
    void close() {
        threads.close();
    }

    /// What a step does; may throw.
    private interface Step {
        StepResult of(String key) throws InterruptedException;
    }

    /// Objects `0000`, `0001` and so on, of which those with even numbers are here.
    private final class Numbers implements JobWork {
        private final int count;
        private final Step step;

        Numbers(int count, Step step) {
            this.count = count;
            this.step = step;
        }

        @Override
        public Selection selection() {
            return from -> page(from.isEmpty() ? 0 : Integer.parseInt(from));
        }

        private JobPage page(int from) {
            int to = Math.min(count, from + PAGE);
            var items = IntStream.range(from, to)
                    .mapToObj(i -> new JobItem(
                            "%04d".formatted(i), named ? 0 : SIZE, named ? Optional.empty() : Optional.of("etag")))
                    .toList();
            return new JobPage(items, 0, 1, to < count ? Optional.of(Integer.toString(to)) : Optional.empty());
        }

        @Override
        public boolean isHere(String key) {
            return Integer.parseInt(key) % 2 == 0;
        }

        @Override
        public int connections(JobItem object) {
            return object.etag().isPresent() ? connections : 1;
        }

        @Override
        public JobItem asked(JobItem object) {
            return new JobItem(object.key(), SIZE, Optional.of("etag"));
        }

        @Override
        public StepResult step(JobItem object) throws InterruptedException {
            var result = step.of(object.key());
            assertThat(done.add(object.key())).as("%s once", object.key()).isTrue();
            return result;
        }
    }

    private JobRun job(JobWork work) {
        var spec = new JobSpec(JobKind.PREFETCH, "sets", 1, "", Optional.empty(), false);
        var limits = new JobRun.Limits(
                AT_ONCE,
                own -> {
                    owns.add(own);
                    return waiting.get();
                },
                working,
                threads,
                Duration.ofMillis(1),
                Clock.SYSTEM);
        return new JobRun(Job.started("prefetch-1", spec, "author", 1), work, totals, limits, positions);
    }

    private JobPart run(int count, Step step) {
        var run = job(new Numbers(count, step));
        run.run();
        return run.part();
    }

    private static StoreException away() {
        return new StoreException.BackendUnavailable("no route to the cloud", new IOException("no route"));
    }

    @Test
    void eachObjectOfThisTargetIsWorkedOnOnce() {
        var part = run(95, key -> key.endsWith("0") ? StepResult.skipped(0) : StepResult.done(SIZE, 1));
        assertThat(part.state()).isEqualTo(JobState.DONE);
        assertThat(part.counts().listed()).isEqualTo(48);
        assertThat(part.counts().done()).isEqualTo(38);
        assertThat(part.counts().skipped()).isEqualTo(10);
        assertThat(part.counts().failed()).isZero();
        assertThat(part.counts().bytes()).isEqualTo(38 * SIZE);
        assertThat(done).hasSize(48);
        assertThat(totals.doneObjects()).isEqualTo(38);
        assertThat(totals.skippedObjects()).isEqualTo(10);
        assertThat(totals.movedBytes()).isEqualTo(38 * SIZE);
    }

    @Test
    void soManyAreWorkedOnAtOnceAndNoMore() {
        var now = new AtomicInteger();
        var most = new AtomicInteger();
        var all = new CountDownLatch(AT_ONCE);
        run(60, _ -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            all.countDown();
            all.await();
            now.decrementAndGet();
            return StepResult.done(SIZE, 1);
        });
        assertThat(most.get()).isEqualTo(AT_ONCE);
    }

    @Test
    void largeObjectsAreFewerAtOnce() {
        requireTwoAtOnce();
    }

    private void requireTwoAtOnce() {
        connections = AT_ONCE / 2;
        var now = new AtomicInteger();
        var most = new AtomicInteger();
        var both = new CountDownLatch(2);
        var part = run(60, _ -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            both.countDown();
            both.await();
            now.decrementAndGet();
            return StepResult.done(SIZE, 1);
        });
        assertThat(most.get()).isEqualTo(2);
        assertThat(part.counts().done()).isEqualTo(30);
    }

    /// Only a question to the cloud tells that they are large.
    @Test
    void largeObjectsThatAreNamedAreFewerAtOnceToo() {
        named = true;
        requireTwoAtOnce();
    }

    @Test
    void connectionsOfAllJobsAreNotForeground() throws InterruptedException {
        var go = new CountDownLatch(1);
        var begun = new CountDownLatch(AT_ONCE);
        var first = job(new Numbers(20, _ -> {
            begun.countDown();
            go.await();
            return StepResult.skipped(0);
        }));
        var thread = Thread.ofVirtual().start(first);
        try {
            begun.await();
            owns.clear();
            job(new Numbers(1, _ -> StepResult.done(SIZE, 1))).run();
            assertThat(owns).containsExactly(AT_ONCE);
            done.clear();
        } finally {
            go.countDown();
            thread.join();
        }
        assertThat(working.get()).isZero();
    }

    @Test
    void objectOfMoreConnectionsThanThereAreIsWorkedOnAlone() {
        connections = 10 * AT_ONCE;
        assertThat(run(20, _ -> StepResult.done(SIZE, 1)).counts().done()).isEqualTo(10);
    }

    @Test
    void driveThatStaysAwayIsNotAskedAgainForEachObject() {
        var asked = new AtomicInteger();
        var part = run(2000, _ -> {
            asked.incrementAndGet();
            throw new StoreException.Unavailable("the drive is offline", Duration.ZERO);
        });
        assertThat(part.state()).isEqualTo(JobState.DONE);
        assertThat(part.counts().failed()).isEqualTo(1000);
        assertThat(asked.get()).isLessThan(1000 + 4 * 64 + 4 * AT_ONCE);
    }

    @Test
    void firstFailuresAreNamed() {
        var part = run(300, key -> {
            throw new StoreException.NoSuchKey(key);
        });
        assertThat(part.state()).isEqualTo(JobState.DONE);
        assertThat(part.counts().failed()).isEqualTo(150);
        assertThat(part.failures()).hasSize(JobPart.MOST_FAILURES);
        assertThat(part.failures()).extracting(JobFailure::why).allMatch(why -> why.contains("key"));
    }

    @Test
    void whatTheCloudDoesNotGiveNowIsAskedForAgain() {
        var asked = new AtomicInteger();
        var part = run(1, _ -> {
            if (asked.incrementAndGet() < 3) {
                throw away();
            }
            return StepResult.done(SIZE, 1);
        });
        assertThat(part.counts().done()).isEqualTo(1);
        assertThat(asked).hasValue(3);
    }

    @Test
    void whatIsThereLaterIsAskedForThen() {
        var asked = new ArrayList<Long>();
        var part = run(1, _ -> {
            asked.add(System.nanoTime());
            if (asked.size() == 1) {
                throw new StoreException.Unavailable("a write may still reach the cloud", Duration.ofMillis(300));
            }
            return StepResult.done(SIZE, 1);
        });
        assertThat(part.counts().done()).isEqualTo(1);
        assertThat(asked).hasSize(2);
        assertThat(asked.getLast() - asked.getFirst())
                .isGreaterThanOrEqualTo(Duration.ofMillis(300).toNanos());
    }

    @Test
    void jobThatWaitsForAnObjectCanBeStopped() throws InterruptedException {
        var asked = new CountDownLatch(1);
        var run = job(new Numbers(1, _ -> {
            asked.countDown();
            throw new StoreException.Unavailable("not before tomorrow", Duration.ofDays(1));
        }));
        var thread = Thread.ofVirtual().start(run);
        asked.await();
        run.stop();
        thread.join();
        assertThat(run.part().state()).isEqualTo(JobState.STOPPED);
        assertThat(run.part().counts().failed()).isZero();
    }

    @Test
    void cloudThatIsAwayEndsTheJob() {
        var part = run(5000, _ -> {
            throw away();
        });
        assertThat(part.state()).isEqualTo(JobState.FAILED);
        assertThat(part.message().orElseThrow()).contains("does not answer", "no route to the cloud");
        assertThat(part.counts().failed()).isBetween(16L, 40L);
    }

    @Test
    void oneObjectThatNeverComesDoesNotEndTheJob() {
        var part = run(400, key -> {
            if (Integer.parseInt(key) % 20 == 0) {
                throw away();
            }
            return StepResult.done(SIZE, 1);
        });
        assertThat(part.state()).isEqualTo(JobState.DONE);
        assertThat(part.counts().failed()).isEqualTo(20);
        assertThat(part.counts().done()).isEqualTo(180);
    }

    @Test
    void fullDriveEndsTheJobAndCountsWhatIsUnderWay() {
        var steps = new AtomicInteger();
        var held = new CountDownLatch(1);
        var part = run(5000, _ -> {
            int number = steps.incrementAndGet();
            if (number == 10) {
                held.countDown();
                throw new JobEnded(JobState.FULL, "no room");
            }
            if (number > 7) {
                held.await();
            }
            return StepResult.done(SIZE, 1);
        });
        assertThat(part.state()).isEqualTo(JobState.FULL);
        assertThat(part.message()).contains("no room");
        assertThat(part.counts().done()).isEqualTo(done.size()).isLessThan(30);
    }

    @Test
    void refusalOfTheCloudEndsTheJob() {
        var part = run(5000, _ -> {
            throw new StoreException.BackendDenied("403");
        });
        assertThat(part.state()).isEqualTo(JobState.FAILED);
        assertThat(part.message()).hasValueSatisfying(why -> assertThat(why).contains("403"));
        assertThat(part.counts().done()).isZero();
    }

    @Test
    void bucketThatCannotBeListedEndsTheJob() {
        var broken = job(new JobWork() {
            @Override
            public Selection selection() {
                return _ -> {
                    throw away();
                };
            }

            @Override
            public boolean isHere(String key) {
                return true;
            }

            @Override
            public int connections(JobItem object) {
                return 1;
            }

            @Override
            public StepResult step(JobItem object) {
                return StepResult.skipped(0);
            }
        });
        broken.run();
        assertThat(broken.part().state()).isEqualTo(JobState.FAILED);
        assertThat(broken.part().message().orElseThrow()).contains("cannot be listed", "no route to the cloud");
    }

    @Test
    void stoppedJobBeginsNothingMore() throws InterruptedException {
        var begun = new CountDownLatch(AT_ONCE);
        var go = new CountDownLatch(1);
        var run = job(new Numbers(5000, _ -> {
            begun.countDown();
            go.await();
            return StepResult.done(SIZE, 1);
        }));
        var thread = Thread.ofVirtual().start(run);
        begun.await();
        run.stop();
        go.countDown();
        thread.join();
        assertThat(run.part().state()).isEqualTo(JobState.STOPPED);
        assertThat(done).hasSizeLessThan(2 * AT_ONCE);
        assertThat(run.status(true).bytesPerSecond()).isZero();
    }

    /// Is told at the end of each page.
    private static final class Told implements JobRun.Positions {
        private final Optional<JobPosition> begin;
        private final List<JobRun.Reached> all = new CopyOnWriteArrayList<>();

        Told(Optional<JobPosition> begin) {
            this.begin = begin;
        }

        @Override
        public Optional<JobPosition> begin() {
            return begin;
        }

        @Override
        public boolean isDue() {
            return true;
        }

        @Override
        public void reached(JobRun.Reached reached) {
            all.add(reached);
        }
    }

    @Test
    void partGoesOnFromAPositionAndCountsOn() {
        var first = new Told(Optional.empty());
        positions = first;
        Step step = key -> {
            if (key.endsWith("4")) {
                throw new StoreException.NoSuchKey(key);
            }
            return StepResult.done(SIZE, 1);
        };
        var whole = run(95, step);
        assertThat(first.all).hasSize(9);
        for (int page = 0; page < 9; page++) {
            var reached = first.all.get(page);
            assertThat(reached.from()).isEqualTo(Integer.toString(PAGE * (page + 1)));
            assertThat(reached.counts().listed()).isEqualTo(5L * (page + 1));
            assertThat(reached.counts().done()).isEqualTo(4L * (page + 1));
            assertThat(reached.counts().failed()).isEqualTo(page + 1L);
            assertThat(reached.failures()).hasSize(page + 1);
        }
        var middle = first.all.get(5);
        done.clear();
        var second = new Told(Optional.of(new JobPosition(middle.from(), "", middle.counts(), middle.failures())));
        positions = second;
        var run = job(new Numbers(95, step));
        run.run();
        assertThat(done).hasSize(14).contains("0060", "0092").doesNotContain("0058");
        assertThat(run.part().counts().listed()).isEqualTo(whole.counts().listed());
        assertThat(run.part().counts().done()).isEqualTo(whole.counts().done());
        assertThat(run.part().counts().bytes()).isEqualTo(whole.counts().bytes());
        assertThat(run.part().counts().failed()).isEqualTo(whole.counts().failed());
        assertThat(run.status(true).objectsAll()).contains(48L);
        assertThat(second.all).hasSize(3);
    }

    @Test
    void stoppedPartTellsNoPosition() throws InterruptedException {
        var told = new Told(Optional.empty());
        positions = told;
        var begun = new CountDownLatch(AT_ONCE);
        var go = new CountDownLatch(1);
        var run = job(new Numbers(20, _ -> {
            begun.countDown();
            go.await();
            return StepResult.done(SIZE, 1);
        }));
        var thread = Thread.ofVirtual().start(run);
        begun.await();
        run.stop();
        go.countDown();
        thread.join();
        assertThat(told.all).isEmpty();
    }

    @Test
    void requestsThatWaitGoFirst() throws InterruptedException {
        waiting.set(1);
        var run = job(new Numbers(5000, _ -> StepResult.done(SIZE, 1)));
        long began = System.nanoTime();
        var thread = Thread.ofVirtual().start(run);
        while (done.size() < 2) {
            Thread.onSpinWait();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("an object a second while requests wait")
                .isGreaterThan(Duration.ofMillis(1900));
        waiting.set(0);
        thread.join();
        assertThat(done).hasSize(2500);
    }

    @Test
    void allObjectsAreCountedSoonerThanTheyAreWorkedOn() throws InterruptedException {
        var go = new CountDownLatch(1);
        var run = job(new Numbers(1000, _ -> {
            go.await();
            return StepResult.done(SIZE, 1);
        }));
        var thread = Thread.ofVirtual().start(run);
        while (run.status(false).objectsAll().isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(run.status(false).objectsAll()).contains(500L);
        assertThat(run.status(false).part().counts().listed()).isLessThan(20);
        go.countDown();
        thread.join();
        assertThat(run.part().counts().listed()).isEqualTo(500);
    }
}
