package dev.sluice.targetnode.job;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.storage.SmallDrive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Prefetches on one target with a cloud in memory: from the controller's record to the drive.
@Timeout(60)
class PrefetchTest {
    private static final int SIZE = 100_000;

    @TempDir
    private Path folder;

    private int started;

    private static byte[] content(String key) {
        return random(key.hashCode(), SIZE);
    }

    private static void inCloud(TargetFixture target, String... keys) {
        for (var key : keys) {
            target.inCloud(key, content(key));
        }
    }

    private void onTarget(Consumer<TargetFixture> test) throws IOException {
        try (var target = new TargetFixture(folder)) {
            target.handlers().jobs().start(() -> true);
            test.accept(target);
            target.requireNothingLeft();
        }
    }

    private String start(TargetFixture target, Bucket bucket, String prefix, boolean dryRun) {
        var id = "prefetch-" + ++started;
        return start(
                target,
                id,
                new JobSpec(JobKind.PREFETCH, bucket.name(), bucket.id(), prefix, Optional.empty(), dryRun));
    }

    private static String start(TargetFixture target, String id, JobSpec spec) {
        target.control().apply(new Command.StartJob(id, spec, "author", 1));
        return id;
    }

    private static Job job(TargetFixture target, String id) {
        return target.control().current().jobs().find(id).orElseThrow();
    }

    private static Job ended(TargetFixture target, String id) {
        eventually(() -> !job(target, id).isRunning());
        return job(target, id);
    }

    private Job prefetch(TargetFixture target, String prefix) {
        return ended(target, start(target, target.cached(), prefix, false));
    }

    @Test
    void coldObjectsAreFetchedAndCachedOnesSkipped() throws IOException {
        onTarget(target -> {
            inCloud(target, "a", "b", "c", "other");
            assertThat(target.get(target.cached(), "b").body()).isEqualTo(content("b"));
            target.awaitFills();
            target.put(target.cached(), "b2", content("b2"));
            var job = prefetch(target, "");
            assertThat(job.state()).isEqualTo(JobState.DONE);
            assertThat(job.counts().listed()).isEqualTo(5);
            assertThat(job.counts().done()).isEqualTo(3);
            assertThat(job.counts().skipped()).isEqualTo(2);
            assertThat(job.counts().bytes()).isEqualTo(3 * SIZE);
            assertThat(target.gets()).isEqualTo(4);
            assertThat(target.get(target.cached(), "c").header("x-sluice-cache"))
                    .isEqualTo("hit");
            assertThat(target.get(target.cached(), "c").body()).isEqualTo(content("c"));
            var again = prefetch(target, "");
            assertThat(again.counts().skipped()).isEqualTo(5);
            assertThat(target.gets()).isEqualTo(4);
        });
    }

    @Test
    void prefixNamesWhatIsFetched() throws IOException {
        onTarget(target -> {
            inCloud(target, "test/a", "train/a", "train/b", "trainer");
            assertThat(prefetch(target, "train/").counts().done()).isEqualTo(2);
            assertThat(target.stored(target.cached(), "train/b")).isTrue();
            assertThat(target.stored(target.cached(), "trainer")).isFalse();
        });
    }

    @Test
    void templateNamesWhatIsFetched() throws IOException {
        onTarget(target -> {
            inCloud(target, "train/08", "train/09", "train/10", "train/12", "train/x");
            target.get(target.cached(), "train/09");
            target.awaitFills();
            var cached = target.cached();
            var template = Optional.of("train/{08..11}");
            var spec = new JobSpec(JobKind.PREFETCH, cached.name(), cached.id(), "", template, false);
            var job = ended(target, start(target, "prefetch-1", spec));
            assertThat(job.state()).isEqualTo(JobState.DONE);
            assertThat(job.counts().listed()).isEqualTo(4);
            assertThat(job.counts().done()).isEqualTo(2);
            assertThat(job.counts().skipped()).isEqualTo(1);
            assertThat(job.counts().bytes()).isEqualTo(2 * SIZE);
            assertThat(job.failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure.key()).isEqualTo("train/11"));
            assertThat(target.stored(cached, "train/10")).isTrue();
            assertThat(target.stored(cached, "train/12")).isFalse();
        });
    }

    @Test
    void dryRunCountsAndFetchesNothing() throws IOException {
        onTarget(target -> {
            inCloud(target, "a", "b");
            target.put(target.cached(), "c", content("c"));
            var job = ended(target, start(target, target.cached(), "", true));
            assertThat(job.counts().done()).isEqualTo(2);
            assertThat(job.counts().skipped()).isEqualTo(1);
            assertThat(job.counts().bytes()).isEqualTo(2 * SIZE);
            assertThat(job.counts().requests()).as("a page, two objects").isEqualTo(3);
            assertThat(target.gets()).isZero();
            assertThat(target.stored(target.cached(), "a")).isFalse();
            assertThat(target.handlers().jobs().totals(JobKind.PREFETCH).movedBytes())
                    .isZero();
        });
    }

    @Test
    void objectThatChangedInTheCloudIsFetchedAgain() throws IOException {
        onTarget(target -> {
            inCloud(target, "same", "changed");
            prefetch(target, "");
            target.inCloud("changed", content("another"));
            var job = prefetch(target, "");
            assertThat(job.counts().done()).isEqualTo(1);
            assertThat(job.counts().skipped()).isEqualTo(1);
            assertThat(target.get(target.cached(), "changed").body()).isEqualTo(content("another"));
            assertThat(target.gets()).isEqualTo(3);
        });
    }

    @Test
    void failureIsNamed() throws IOException {
        onTarget(target -> {
            inCloud(target, "a", "gone");
            target.cloud().before((operation, key) -> {
                if (operation.equals("get") && key.equals("gone")) {
                    throw new StoreException.NoSuchKey(key);
                }
            });
            var job = prefetch(target, "");
            assertThat(job.state()).isEqualTo(JobState.DONE);
            assertThat(job.counts().done()).isEqualTo(1);
            assertThat(job.counts().failed()).isEqualTo(1);
            assertThat(job.failures()).singleElement().satisfies(failure -> {
                assertThat(failure.key()).isEqualTo("gone");
                assertThat(failure.why()).contains("gone");
            });
        });
    }

    @Test
    void fullDriveEndsTheJobAndNothingIsEvicted() throws IOException {
        long drive = 6 << 20;
        var small = new SmallDrive(folder.resolve("d1"), drive);
        try (var target = new TargetFixture(folder, store -> store.reserve(200_000), small.seam())) {
            target.evict();
            inCloud(target, "before");
            target.get(target.cached(), "before");
            target.awaitFills();
            for (int i = 0; i < 100; i++) {
                inCloud(target, "k%03d".formatted(i));
            }
            target.handlers().jobs().start(() -> true);
            var job = prefetch(target, "k");
            assertThat(job.state()).isEqualTo(JobState.FULL);
            assertThat(job.message().orElseThrow()).contains("target001", "high watermark");
            assertThat(job.counts().done()).isBetween(30L, 60L);
            assertThat(small.used()).isLessThan((drive - 200_000) * 9 / 10 + 200_000);
            assertThat(target.store().evictions().getFirst().objects()).isZero();
            assertThat(target.stored(target.cached(), "before")).isTrue();
            target.requireNothingLeft();
        }
    }

    @Test
    void roomForJobsEndsBeforeADriveEvicts() throws IOException {
        long drive = 60 << 20;
        var small = new SmallDrive(folder.resolve("d1"), drive);
        try (var target = new TargetFixture(folder, store -> store.reserve(200_000), small.seam())) {
            var space = target.store().drives().serving().getFirst().space();
            assertThat(target.store().roomBeforeEviction(BucketRefs.of(target.cached()), "k"))
                    .isEqualTo(space.beforeEviction() - drive / 200);
        }
    }

    @Test
    void roomOfAnObjectIsWhatItTakesOnADrive() {
        assertThat(FillRoom.onDrive(0)).isEqualTo(8 << 10);
        assertThat(FillRoom.onDrive(1)).isEqualTo(12 << 10);
        assertThat(FillRoom.onDrive(4096)).isEqualTo(12 << 10);
        assertThat(FillRoom.onDrive(4097)).isEqualTo(16 << 10);
    }

    @Test
    void quotaEndsTheJob() throws IOException {
        onTarget(target -> {
            target.limit(target.cached(), 10 * SIZE);
            for (int i = 0; i < 20; i++) {
                inCloud(target, "k" + i);
            }
            var job = prefetch(target, "");
            assertThat(job.state()).isEqualTo(JobState.FULL);
            assertThat(job.counts().done()).isBetween(6L, 9L);
        });
    }

    @Test
    void stoppedJobLeavesTheRest() throws IOException {
        onTarget(target -> {
            for (int i = 0; i < 100; i++) {
                inCloud(target, "k" + i);
            }
            var held = new CountDownLatch(1);
            target.cloud().before((operation, _) -> {
                if (operation.equals("get")) {
                    awaited(held);
                }
            });
            var id = start(target, target.cached(), "", false);
            eventually(() -> target.handlers().jobs().running() == 1);
            target.control().apply(new Command.StopJob(id, new TreeMap<>(), 2));
            held.countDown();
            eventually(() -> target.handlers().jobs().running() == 0);
            assertThat(job(target, id).state()).isEqualTo(JobState.STOPPED);
            assertThat(target.gets()).isLessThan(40);
        });
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void deletedBucketEndsTheJob() throws IOException {
        onTarget(target -> {
            for (int i = 0; i < 100; i++) {
                inCloud(target, "k" + i);
            }
            var held = new CountDownLatch(1);
            target.cloud().before((operation, _) -> {
                if (operation.equals("get")) {
                    awaited(held);
                }
            });
            var id = start(target, target.cached(), "", false);
            eventually(() -> target.handlers().jobs().running() == 1);
            var cached = target.cached();
            var marked = target.control().apply(new Command.MarkDeleting(cached.name()));
            long deletion = marked.buckets().find(cached.name()).orElseThrow().deletion();
            target.control().apply(new Command.RemoveBucket(cached.name(), cached.id(), deletion));
            held.countDown();
            assertThat(ended(target, id).state()).isEqualTo(JobState.FAILED);
            assertThat(job(target, id).message().orElseThrow()).contains("cached was deleted");
        });
    }

    @Test
    void partBeginsAgainAfterARestart() throws IOException {
        for (int round = 0; round < 2; round++) {
            try (var target = new TargetFixture(folder)) {
                inCloud(target, "a", "b", "c");
                var held = new CountDownLatch(1);
                if (round == 0) {
                    target.cloud().before((_, key) -> {
                        if (key.equals("c")) {
                            awaited(held);
                        }
                    });
                }
                var id = start(target, target.cached(), "", false);
                target.handlers().jobs().start(() -> true);
                if (round == 0) {
                    eventually(() -> target.stored(target.cached(), "a") && target.stored(target.cached(), "b"));
                    target.handlers().jobs().close();
                    assertThat(job(target, id).isRunning()).isTrue();
                    assertThat(job(target, id).parts()).isEmpty();
                    held.countDown();
                    eventually(() -> target.stored(target.cached(), "c"));
                    target.delete(target.cached(), "c");
                } else {
                    var job = ended(target, id);
                    assertThat(job.counts().done()).isEqualTo(1);
                    assertThat(job.counts().skipped()).isEqualTo(2);
                }
            }
        }
    }

    /// As one that a newer node started.
    @Test
    void jobOfAnUnknownKindWaitsAndOthersRun() throws IOException {
        onTarget(target -> {
            inCloud(target, "a");
            var cached = target.cached();
            for (int i = 0; i < 3; i++) {
                var spec = new JobSpec(new JobKind("polish"), cached.name(), cached.id(), "", Optional.empty(), false);
                start(target, "polish-" + i, spec);
            }
            assertThat(prefetch(target, "").counts().done()).isEqualTo(1);
            assertThat(job(target, "polish-0").isRunning()).isTrue();
            assertThat(job(target, "polish-0").parts()).isEmpty();
            target.control().apply(new Command.StopJob("polish-0", new TreeMap<>(), 2));
            assertThat(job(target, "polish-0").state()).isEqualTo(JobState.STOPPED);
        });
    }

    @Test
    void onlySoManyJobsRunAtOnceAndTheNextFollow() throws IOException {
        onTarget(target -> {
            for (int i = 0; i < 6; i++) {
                inCloud(target, "k" + i);
            }
            var held = new CountDownLatch(1);
            target.cloud().before((operation, _) -> {
                if (operation.equals("get")) {
                    awaited(held);
                }
            });
            for (int i = 0; i < 6; i++) {
                start(target, target.cached(), "k" + i, false);
            }
            eventually(() -> target.handlers().jobs().running() == 2);
            held.countDown();
            for (int i = 1; i <= 6; i++) {
                assertThat(ended(target, "prefetch-" + i).counts().done()).isEqualTo(1);
            }
        });
    }
}
