package dev.sluice.targetnode.job;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.jobs.NameList;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.storage.SmallDrive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What an evict job removes from one target, and what pins a bucket's objects.
@Timeout(60)
class EvictTest {
    private static final int SIZE = 100_000;

    @TempDir
    private Path folder;

    private static byte[] content(String key) {
        return random(key.hashCode(), SIZE);
    }

    private void onTarget(Consumer<TargetFixture> test) throws IOException {
        try (var target = new TargetFixture(folder)) {
            target.handlers().jobs().start(() -> true);
            test.accept(target);
            target.requireNothingLeft();
        }
    }

    private static void cached(TargetFixture target, Bucket bucket, String... keys) {
        for (var key : keys) {
            target.inCloud(key, content(key));
            assertThat(target.get(bucket, key).body()).isEqualTo(content(key));
        }
        target.awaitFills();
    }

    private static Job run(TargetFixture target, JobKind kind, String prefix, Optional<String> template, boolean dry) {
        var bucket = target.cached();
        return TargetJobs.run(target, new JobSpec(kind, bucket.name(), bucket.id(), prefix, template, dry));
    }

    private static Job evict(TargetFixture target, String prefix) {
        return run(target, JobKind.EVICT, prefix, Optional.empty(), false);
    }

    private static Bucket pin(TargetFixture target, Bucket bucket, CacheRules.Evict evict) {
        var before = target.control().current().buckets().find(bucket.name()).orElseThrow();
        var old = before.properties();
        var rules = new CacheRules(old.cache().revalidate(), evict, old.cache().coldRange());
        var pinned = new BucketProperties(
                old.backend(),
                old.durability(),
                old.documents(),
                old.route(),
                old.localCopies(),
                old.replicas(),
                old.minInSync(),
                old.quota(),
                rules);
        var state = target.control().apply(new Command.SetBucketProperties(bucket.name(), bucket.id(), old, pinned));
        return state.buckets().find(bucket.name()).orElseThrow();
    }

    @Test
    void cachedObjectsGoAndTheCloudKeepsThem() throws IOException {
        onTarget(target -> {
            var bucket = target.cached();
            cached(target, bucket, "test/a", "train/a", "train/b", "trainer");
            target.inCloud("train/cold", content("train/cold"));
            target.put(target.own(), "train/own", content("own"));
            var job = evict(target, "train/");
            assertThat(job.state()).isEqualTo(JobState.DONE);
            assertThat(job.counts()).isEqualTo(new JobCounts(2, 2, 0, 0, 2 * SIZE, 0));
            assertThat(target.stored(bucket, "train/a")).isFalse();
            assertThat(target.stored(bucket, "train/b")).isFalse();
            assertThat(target.stored(bucket, "trainer")).isTrue();
            assertThat(target.stored(bucket, "test/a")).isTrue();
            assertThat(target.stored(target.own(), "train/own")).isTrue();
            assertThat(target.cloud().memory().requests("delete")).isZero();
            assertThat(target.get(bucket, "train/a").body()).isEqualTo(content("train/a"));
            assertThat(target.handlers().jobs().totals(JobKind.EVICT).doneObjects())
                    .isEqualTo(2);
            assertThat(target.handlers().jobs().totals(JobKind.PREFETCH).doneObjects())
                    .isZero();
        });
    }

    @Test
    void templateNamesWhatGoes() throws IOException {
        onTarget(target -> {
            cached(target, target.cached(), "s/08", "s/09", "s/10", "s/100", "s/12");
            var job = run(target, JobKind.EVICT, "", Optional.of("s/{08..11}"), false);
            assertThat(job.counts()).isEqualTo(new JobCounts(3, 3, 0, 0, 3 * SIZE, 0));
            assertThat(target.stored(target.cached(), "s/09")).isFalse();
            assertThat(target.stored(target.cached(), "s/100")).isTrue();
            assertThat(target.stored(target.cached(), "s/12")).isTrue();
        });
    }

    @Test
    void listNamesWhatGoesAndWhatIsFetched() throws IOException {
        onTarget(target -> {
            var bucket = target.cached();
            cached(target, bucket, "a", "b", "ab");
            target.inCloud("cold", content("cold"));
            var list = Optional.of(NameList.of(List.of("b", "a", "none")));
            var spec = new JobSpec(JobKind.EVICT, bucket.name(), bucket.id(), "", Optional.empty(), list, false);
            assertThat(TargetJobs.run(target, spec).counts()).isEqualTo(new JobCounts(2, 2, 0, 0, 2 * SIZE, 0));
            assertThat(target.stored(bucket, "ab")).isTrue();
            var some = Optional.of(NameList.of(List.of("a", "cold", "none")));
            var fetch = new JobSpec(JobKind.PREFETCH, bucket.name(), bucket.id(), "", Optional.empty(), some, false);
            var fetched = TargetJobs.run(target, fetch);
            assertThat(fetched.counts().done()).isEqualTo(2);
            assertThat(fetched.failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure.key()).isEqualTo("none"));
            assertThat(target.stored(bucket, "a")).isTrue();
            assertThat(target.stored(bucket, "b")).isFalse();
        });
    }

    @Test
    void dryRunCountsAndRemovesNothing() throws IOException {
        onTarget(target -> {
            cached(target, target.cached(), "a", "b");
            var job = run(target, JobKind.EVICT, "", Optional.empty(), true);
            assertThat(job.counts()).isEqualTo(new JobCounts(2, 2, 0, 0, 2 * SIZE, 0));
            assertThat(target.stored(target.cached(), "a")).isTrue();
        });
    }

    @Test
    void moreThanAPageGoes() throws IOException {
        onTarget(target -> {
            int objects = Selection.PAGE + 5;
            for (int i = 0; i < objects; i++) {
                target.put(target.cached(), "k%04d".formatted(i), new byte[] {1});
            }
            assertThat(evict(target, "").counts().done()).isEqualTo(objects);
            assertThat(target.store().list(target.cached().id(), "", "", 1)).isEmpty();
        });
    }

    /// As one that a client writes while the job runs.
    @Test
    void objectThatChangedSinceItWasListedStays() throws IOException {
        onTarget(target -> {
            var bucket = target.cached();
            cached(target, bucket, "a");
            var spec = new JobSpec(JobKind.EVICT, bucket.name(), bucket.id(), "", Optional.empty(), false);
            var views = new dev.sluice.common.cluster.ClusterViews(target.control());
            var work = new Evict(spec, views, target.store());
            var listed = work.selection().page("").items().getFirst();
            target.put(bucket, "a", content("another"));
            assertThat(work.step(listed)).isEqualTo(StepResult.skipped(0));
            assertThat(target.stored(bucket, "a")).isTrue();
            assertThat(target.get(bucket, "a").body()).isEqualTo(content("another"));
            assertThat(work.step(work.selection().page("").items().getFirst()).changed())
                    .isTrue();
            assertThat(work.step(listed)).as("repeated").isEqualTo(StepResult.skipped(0));
        });
    }

    @Test
    void pinnedObjectsStay() throws IOException {
        onTarget(target -> {
            cached(target, target.cached(), "a");
            pin(target, target.cached(), CacheRules.Evict.NEVER);
            var job = evict(target, "");
            assertThat(job.state()).isEqualTo(JobState.FAILED);
            assertThat(job.message().orElseThrow()).contains("pinned", "'evict' to 'auto'");
            assertThat(target.stored(target.cached(), "a")).isTrue();
            pin(target, target.cached(), CacheRules.Evict.AUTO);
            assertThat(evict(target, "").counts().done()).isEqualTo(1);
        });
    }

    @Test
    void fullDriveKeepsPinnedObjectsAndRemovesOthers() throws IOException {
        var small = new SmallDrive(folder.resolve("d1"), 6 << 20);
        try (var target = new TargetFixture(folder, store -> store.reserve(200_000), small.seam())) {
            var properties = target.cached().properties();
            var unpinned = target.control()
                    .apply(new Command.CreateBucket("unpinned", 1, properties))
                    .buckets()
                    .find("unpinned")
                    .orElseThrow();
            var pinned = pin(target, target.cached(), CacheRules.Evict.NEVER);
            for (int i = 0; i < 20; i++) {
                cached(target, pinned, "k%03d".formatted(i));
            }
            target.evict();
            for (int i = 20; i < 80; i++) {
                cached(target, unpinned, "k%03d".formatted(i));
            }
            eventually(() -> target.store().evictions().getFirst().objects() > 20);
            for (int i = 0; i < 20; i++) {
                assertThat(target.stored(pinned, "k%03d".formatted(i))).isTrue();
            }
            assertThat(target.store().list(unpinned.id(), "", "", 100)).hasSizeLessThan(40);
        }
    }

    /// Readers still get what has no room: it passes through.
    @Test
    void driveFullOfPinnedObjectsServesOthersFromTheCloud() throws IOException {
        var small = new SmallDrive(folder.resolve("d1"), 6 << 20);
        try (var target = new TargetFixture(folder, store -> store.reserve(200_000), small.seam())) {
            var pinned = pin(target, target.cached(), CacheRules.Evict.NEVER);
            target.evict();
            for (int i = 0; i < 80; i++) {
                cached(target, pinned, "k%03d".formatted(i));
            }
            assertThat(target.store().evictions().getFirst().objects()).isZero();
            assertThat(target.stored(pinned, "k000")).isTrue();
            assertThat(target.stored(pinned, "k079")).isFalse();
        }
    }
}
