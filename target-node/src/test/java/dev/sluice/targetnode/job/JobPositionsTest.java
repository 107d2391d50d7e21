package dev.sluice.targetnode.job;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobPosition;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.BootId;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.storage.pace.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Where a part of a job begins after a restart, and how often its position is written.
@Timeout(60)
class JobPositionsTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final JobCounts SOME = new JobCounts(3, 2, 1, 0, 200, 3);

    @TempDir
    private Path folder;

    private TargetFixture target;
    private final AtomicLong nanos = new AtomicLong(1);

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        for (var key : List.of("a", "b", "c", "d")) {
            target.inCloud(key, key.getBytes(StandardCharsets.UTF_8));
        }
    }

    @AfterEach
    void close() throws IOException {
        target.close();
    }

    private Job started(String id) {
        var bucket = target.cached();
        var spec = new JobSpec(JobKind.PREFETCH, bucket.name(), bucket.id(), "", Optional.empty(), false);
        target.control().apply(new Command.StartJob(id, spec, "author", 1));
        return job(id);
    }

    private Job job(String id) {
        return target.control().current().jobs().find(id).orElseThrow();
    }

    private void at(String id, String from, String placement) {
        target.control().apply(new Command.MoveJob(id, SELF, new JobPosition(from, placement, SOME, List.of())));
    }

    private JobCounts ended(String id) {
        target.handlers().jobs().start(() -> true);
        eventually(() -> !job(id).isRunning());
        return job(id).counts();
    }

    @Test
    void partBeginsAtItsPosition() throws IOException {
        started("prefetch-1");
        at("prefetch-1", "b", positions(BootId.read(), Clock.SYSTEM).placement());
        var counts = ended("prefetch-1");
        assertThat(target.stored(target.cached(), "a")).isFalse();
        assertThat(target.stored(target.cached(), "c")).isTrue();
        assertThat(counts.listed()).isEqualTo(5);
        assertThat(counts.done()).isEqualTo(4);
        assertThat(counts.skipped()).isEqualTo(1);
    }

    private JobPositions positions(String bootId, Clock clock) {
        return new JobPositions(SELF, target.control(), bootId, target.store()::servingDrives, clock);
    }

    /// What was stored before a loss of power, or on a drive that is not there, may not be here.
    @Test
    void positionHoldsForOneStartOfTheMachineAndItsDrives() {
        var placement = positions("boot", Clock.SYSTEM).placement();
        assertThat(positions("boot", Clock.SYSTEM).placement()).isEqualTo(placement);
        assertThat(positions("another", Clock.SYSTEM).placement()).isNotEqualTo(placement);
        var lacking = new JobPositions(SELF, target.control(), "boot", List::of, Clock.SYSTEM);
        assertThat(lacking.placement()).isNotEqualTo(placement);
    }

    /// Keys before the position may belong to this target since.
    @Test
    void partOfAnotherPlacementBeginsAgain() {
        started("prefetch-1");
        at("prefetch-1", "b", "another");
        var counts = ended("prefetch-1");
        assertThat(target.stored(target.cached(), "a")).isTrue();
        assertThat(counts.listed()).isEqualTo(4);
        assertThat(counts.done()).isEqualTo(4);
    }

    @Test
    void onePositionInTenSecondsIsWrittenForAllJobs() {
        var clock = new Clock() {
            @Override
            public long nanos() {
                return nanos.get();
            }

            @Override
            public long millis() {
                return 0;
            }

            @Override
            public void pause(long time) {
                nanos.addAndGet(time);
            }
        };
        var positions = positions("boot", clock);
        var first = positions.of(started("prefetch-1"));
        var second = positions.of(started("prefetch-2"));
        assertThat(first.isDue()).isFalse();
        nanos.addAndGet(JobPositions.EACH.toNanos());
        assertThat(first.isDue()).isTrue();
        first.reached(new JobRun.Reached("b", SOME, List.of()));
        assertThat(second.isDue()).isFalse();
        eventually(() -> !job("prefetch-1").positions().isEmpty());
        assertThat(job("prefetch-1").positions().get(SELF))
                .isEqualTo(new JobPosition("b", positions.placement(), SOME, List.of()));
        assertThat(second.isDue()).isFalse();
        nanos.addAndGet(JobPositions.EACH.toNanos());
        eventually(second::isDue);

        target.control().apply(new Command.Join(new Node(SELF, Role.TARGET, "http://127.0.0.1:1", "rack2", 1)));
        assertThat(second.isDue()).as("by another placement").isFalse();
        second.reached(new JobRun.Reached("b", SOME, List.of()));
        assertThat(job("prefetch-2").positions()).isEmpty();
    }
}
