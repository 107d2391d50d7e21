package dev.sluice.targetnode.job;

import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a refresh job finds out about one target's cached objects.
@Timeout(60)
class RefreshTest {
    private static final int SIZE = 50_000;

    @TempDir
    private Path folder;

    private TargetFixture target;
    private Bucket bucket;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        target.handlers().jobs().start(() -> true);
        bucket = target.cached();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.cloud().before((_, _) -> {});
            target.requireNothingLeft();
        } finally {
            target.close();
        }
    }

    private static byte[] old(String key) {
        return random(key.hashCode(), SIZE);
    }

    private static byte[] newer(String key) {
        return random(key.hashCode() + 1, SIZE);
    }

    private void cached(String... keys) {
        for (var key : keys) {
            target.inCloud(key, old(key));
            assertThat(target.get(bucket, key).body()).isEqualTo(old(key));
        }
        target.awaitFills();
    }

    private Job refresh(String prefix) {
        return TargetJobs.run(target, spec(prefix, Optional.empty(), false));
    }

    private JobSpec spec(String prefix, Optional<String> template, boolean dryRun) {
        return new JobSpec(JobKind.REFRESH, bucket.name(), bucket.id(), prefix, template, dryRun);
    }

    @Test
    void whatDiffersIsFetchedOrRemovedAndTheRestStays() {
        cached("test/b", "train/a", "train/b", "train/c", "train/d");
        target.inCloud("train/b", newer("train/b"));
        target.inCloud("test/b", newer("test/b"));
        target.inCloud("train/new", old("train/new"));
        target.cloud().memory().delete("train/d");
        int gets = target.gets();
        var job = refresh("train/");
        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.counts().listed()).isEqualTo(4);
        assertThat(job.counts().done()).isEqualTo(2);
        assertThat(job.counts().skipped()).isEqualTo(2);
        assertThat(job.counts().bytes()).isEqualTo(SIZE);
        assertThat(target.gets()).isEqualTo(gets + 1);
        assertThat(target.stored(bucket, "train/d")).isFalse();
        assertThat(target.stored(bucket, "train/new")).isFalse();
        assertThat(target.get(bucket, "train/b").body()).isEqualTo(newer("train/b"));
        assertThat(target.get(bucket, "train/b").header("x-sluice-cache")).isEqualTo("hit");
        assertThat(target.get(bucket, "test/b").body()).isEqualTo(old("test/b"));
        assertThat(refresh("train/").counts()).isEqualTo(new JobCounts(3, 0, 3, 0, 0, 1));
    }

    @Test
    void dryRunTellsAndChangesNothing() {
        cached("a", "b", "c");
        target.inCloud("a", newer("a"));
        target.cloud().memory().delete("b");
        var job = TargetJobs.run(target, spec("", Optional.empty(), true));
        assertThat(job.counts()).isEqualTo(new JobCounts(3, 2, 1, 0, SIZE, 4));
        assertThat(target.get(bucket, "a").body()).isEqualTo(old("a"));
        assertThat(target.stored(bucket, "b")).isTrue();
    }

    @Test
    void templateNamesWhatIsCompared() {
        cached("s/1", "s/2", "s/3");
        for (var key : new String[] {"s/1", "s/2", "s/3"}) {
            target.inCloud(key, newer(key));
        }
        var job = TargetJobs.run(target, spec("", Optional.of("s/{2..9}"), false));
        assertThat(job.counts().done()).isEqualTo(2);
        assertThat(target.get(bucket, "s/1").body()).isEqualTo(old("s/1"));
        assertThat(target.get(bucket, "s/3").body()).isEqualTo(newer("s/3"));
    }

    /// A list that lacks what is there, by an error of the cloud.
    @Test
    void listThatLacksObjectsRemovesNothing() {
        cached("a", "b");
        target.cloud().listing(_ -> false);
        var job = refresh("");
        assertThat(job.counts().skipped()).isEqualTo(2);
        assertThat(job.counts().done()).isZero();
        assertThat(target.stored(bucket, "a")).isTrue();
        assertThat(target.stored(bucket, "b")).isTrue();
    }

    @Test
    void listThatIsRefusedRemovesNothing() {
        cached("a", "b");
        target.cloud().memory().delete("a");
        target.cloud().before((operation, _) -> {
            if (operation.equals("list")) {
                throw new StoreException.BackendDenied("not yours");
            }
        });
        var job = refresh("");
        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message().orElseThrow()).contains("cannot be listed", "not yours");
        assertThat(target.stored(bucket, "a")).isTrue();
    }

    @Test
    void objectThatAClientWritesMeanwhileStays() {
        cached("a");
        target.inCloud("a", newer("a"));
        var written = random(7, SIZE);
        var once = new AtomicBoolean();
        target.cloud().after((operation, _) -> {
            if (operation.equals("head") && once.compareAndSet(false, true)) {
                target.put(bucket, "a", written);
            }
        });
        var job = refresh("");
        assertThat(once).isTrue();
        assertThat(job.counts().done()).isZero();
        assertThat(target.stored(bucket, "a")).isTrue();
        assertThat(target.get(bucket, "a").body()).isEqualTo(written);
    }

    @Test
    void morePagesThanOneOnEitherSide() {
        int many = Selection.PAGE + 50;
        for (int i = 0; i < many; i++) {
            target.put(bucket, "here/%04d".formatted(i), new byte[] {1});
        }
        for (int i = 0; i < many; i++) { // gone here, there in the cloud
            target.cloud().memory().delete("here/%04d".formatted(i));
            target.inCloud("there/%04d".formatted(i), new byte[] {2});
        }
        target.put(bucket, "z", new byte[] {3});
        var job = refresh("");
        assertThat(job.counts().listed()).isEqualTo(many + 1);
        assertThat(job.counts().done()).isEqualTo(many);
        assertThat(job.counts().skipped()).isEqualTo(1);
        assertThat(target.store().list(bucket.id(), "", "", 10)).hasSize(1);
    }

    @Test
    void fetchOfAnOlderObjectIsNotStoredAfterARefresh() throws Exception {
        target.inCloud("a", old("a"));
        cached("b");
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        target.cloud().body((_, sent) -> {
            if (sent > 0) {
                begun.countDown();
                await(goOn);
            }
        });
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var early = clients.submit(() -> target.get(bucket, "a"));
            await(begun);
            target.inCloud("a", newer("a"));
            assertThat(refresh("").state()).isEqualTo(JobState.DONE);
            goOn.countDown();
            assertThat(early.get().body()).isEqualTo(old("a"));
        }
        target.awaitFills();
        assertThat(target.get(bucket, "a").body()).isEqualTo(newer("a"));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatWasComparedNeedsNoQuestionForAWhile() {
        cached("a", "b");
        target.set(bucket, new CacheRules(Revalidate.of("1h"), CacheRules.Evict.AUTO, CacheRules.ColdRange.FILL));
        var now = target.control().current().buckets().find("cached").orElseThrow();
        target.passes(Duration.ofHours(1));
        assertThat(refresh("").counts().skipped()).isEqualTo(2);
        target.get(now, "a");
        assertThat(target.cloud().memory().requests("head")).isZero();
    }
}
