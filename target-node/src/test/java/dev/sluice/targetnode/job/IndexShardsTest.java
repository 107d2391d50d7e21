package dev.sluice.targetnode.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.testing.SampleTar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What an index job does with one target's shards.
@Timeout(60)
class IndexShardsTest {
    private static final SampleTar TAR = SampleTar.of(20, 3000, 1);

    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        target.handlers().jobs().start(() -> true);
    }

    @AfterEach
    void close() {
        target.close();
    }

    private Job index(Bucket bucket, String prefix, Optional<String> template, boolean dryRun) {
        return TargetJobs.run(target, new JobSpec(JobKind.INDEX, bucket.name(), bucket.id(), prefix, template, dryRun));
    }

    private long indexes() throws IOException {
        var shards = target.drive().resolve(".sluice/shards");
        if (!Files.isDirectory(shards)) {
            return 0;
        }
        try (var files = Files.list(shards)) {
            return files.count();
        }
    }

    @Test
    void shardsOfANativeBucketAreIndexed() throws IOException {
        for (var key : new String[] {"other/x.tar", "train/a.tar", "train/b.tar", "train/s1"}) {
            target.put(target.own(), key, TAR.bytes());
        }
        target.put(target.own(), "train/c.tar", "no tar".getBytes(StandardCharsets.UTF_8));
        var dry = index(target.own(), "train/", Optional.empty(), true);
        assertThat(dry.counts().done()).isEqualTo(3);
        assertThat(indexes()).isZero();
        var job = index(target.own(), "train/", Optional.empty(), false);
        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.counts().listed()).isEqualTo(4);
        assertThat(job.counts().done()).isEqualTo(2);
        assertThat(job.counts().skipped()).isEqualTo(1);
        assertThat(job.counts().failed()).isEqualTo(1);
        assertThat(indexes()).isEqualTo(2);
        assertThat(index(target.own(), "", Optional.of("train/s{1..1}"), false)
                        .counts()
                        .done())
                .isEqualTo(1);
        assertThat(indexes()).isEqualTo(3);
    }

    @Test
    void shardsOfACachedBucketAreFetchedBefore() throws IOException {
        for (var key : new String[] {"train/a.tar", "train/b.tar", "train/labels"}) {
            target.inCloud(key, TAR.bytes());
        }
        var job = index(target.cached(), "train/", Optional.empty(), false);
        assertThat(job.counts()).isEqualTo(new JobCounts(3, 2, 1, 0, 2L * TAR.bytes().length, 3));
        assertThat(indexes()).isEqualTo(2);
        assertThat(target.gets()).isEqualTo(2);
        assertThat(target.stored(target.cached(), "train/labels")).isFalse();
    }
}
