package dev.sluice.targetnode.job;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobPosition;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.pace.Clock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Up to where this target's parts of jobs are, as the controller keeps it. All targets together write about one entry
/// to its log in [#EACH], so each waits its turn, and one that does not get it writes none.
final class JobPositions {
    private static final Logger LOG = LoggerFactory.getLogger(JobPositions.class);
    static final Duration EACH = Duration.ofSeconds(10);

    private final NodeId self;
    private final ControlPlane control;
    private final String bootId;
    private final Supplier<? extends Collection<String>> drives;
    private final Clock clock;

    // guarded by this
    private long savedAt;
    private boolean saving;

    /// @param bootId names this start of the machine
    /// @param drives ids of those that serve
    JobPositions(
            NodeId self,
            ControlPlane control,
            String bootId,
            Supplier<? extends Collection<String>> drives,
            Clock clock) {
        this.self = self;
        this.control = control;
        this.bootId = bootId;
        this.drives = drives;
        this.clock = clock;
        this.savedAt = clock.nanos();
    }

    /// Of one part, from its beginning on.
    JobRun.Positions of(Job job) {
        var placement = placement();
        var begin = Optional.ofNullable(job.positions().get(self))
                .filter(position -> position.placement().equals(placement));
        return new JobRun.Positions() {
            @Override
            public Optional<JobPosition> begin() {
                return begin;
            }

            @Override
            public boolean isDue() {
                return JobPositions.this.isDue() && placement().equals(placement);
            }

            // Not by another placement: before the position there may be keys that are this target's now.
            @Override
            public void reached(JobRun.Reached reached) {
                if (placement().equals(placement)) {
                    var position = new JobPosition(reached.from(), placement, reached.counts(), reached.failures());
                    save(new Command.MoveJob(job.id(), self, position));
                }
            }
        };
    }

    /// What a position holds for: which target is the primary of each key, this start of the machine, and the drives.
    /// A loss of power may cost what was stored, a drive has it with it.
    String placement() {
        var parts = control.current().map().targets().stream()
                .map(node -> "%s %s %s".formatted(node.id(), node.zone(), node.weight()))
                .sorted()
                .collect(Collectors.toCollection(ArrayList::new));
        parts.add(bootId);
        parts.addAll(new TreeSet<>(drives.get()));
        var sum = new CRC32();
        sum.update(String.join("\n", parts).getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(sum.getValue());
    }

    private synchronized boolean isDue() {
        long turn =
                EACH.toNanos() * Math.max(1, control.current().map().targets().size());
        return !saving && clock.nanos() - savedAt >= turn;
    }

    private synchronized void save(Command.MoveJob position) {
        saving = true;
        savedAt = clock.nanos();
        Thread.ofVirtual().name("job-position").start(() -> {
            try {
                control.apply(position);
            } catch (StoreException later) {
                LOG.debug("the position of job {} is not kept: {}", position.id(), later.getMessage());
            } finally {
                saved();
            }
        });
    }

    private synchronized void saved() {
        saving = false;
    }
}
