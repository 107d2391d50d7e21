package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.Beaten;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.health.DriveSlot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This process as a member of the cluster: registers once its drives are open, and beats from then on. The beats have
/// a
/// platform thread of their own, so that work of others does not cost the lease.
final class Membership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    private static final Duration BEAT = Duration.ofMillis(250);
    private static final Duration AGAIN = Duration.ofMillis(100);
    private static final Duration REPORT = Duration.ofSeconds(1);
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final NodeId self;
    private final ObjectStore store;
    private final ControlPlane control;
    private final Map<String, DriveReplicas> loops;
    private final NanoClock clock;
    private final IntConsumer begin;
    private final Proposer proposer;
    private String nonce = UUID.randomUUID().toString();
    private final Thread thread;
    private volatile int incarnation;
    private volatile boolean closed;
    private long reported;

    /// @param loops the drives that take part, by id
    /// @param begin told which incarnation this is; once more under another one when it fails
    Membership(
            NodeId self,
            ObjectStore store,
            ControlPlane control,
            Map<String, DriveReplicas> loops,
            NanoClock clock,
            IntConsumer begin,
            Proposer proposer) {
        this.self = self;
        this.store = store;
        this.control = control;
        this.loops = loops;
        this.clock = clock;
        this.begin = begin;
        this.proposer = proposer;
        this.thread = Thread.ofPlatform().name("beats " + self).daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// 0 before it has registered.
    int incarnation() {
        return incarnation;
    }

    private void run() {
        while (!closed && incarnation == 0) {
            try {
                register();
            } catch (StoreException.Unavailable | StoreException.DriveFailed away) {
                LOG.debug("{} cannot register yet: {}", self, away.getMessage());
            } catch (StoreException refused) {
                LOG.error("{} may not register: {}", self, refused.getMessage());
            } catch (RuntimeException bug) {
                LOG.error("{} could not register: a bug", self, bug);
            }
            if (incarnation == 0) {
                LockSupport.parkNanos(AGAIN.toNanos());
            }
        }
        while (!closed) {
            try {
                beat();
                reportDrives();
            } catch (RuntimeException bug) {
                LOG.error("a beat failed: a bug", bug);
            }
            LockSupport.parkNanos(BEAT.toNanos());
        }
    }

    private void register() {
        if (!store.ready()) {
            return;
        }
        var before = control.confirm();
        if (!before.map().nodes().containsKey(self)) {
            return;
        }
        var drives = new ArrayList<Command.RegisteredDrive>();
        for (var slot : store.drives().slots()) {
            slot.writable()
                    .ifPresent(drive -> drives.add(new Command.RegisteredDrive(
                            slot.id(),
                            weight(slot),
                            drive.call(() -> drive.contents().isSound()))));
        }
        var after = control.apply(
                new Command.Register(self, nonce, before.replication().incarnation(self), bootId(), drives));
        after.replication().incarnation(self, nonce).ifPresent(this::registered);
    }

    private void registered(int number) {
        for (var slot : store.drives().slots()) {
            slot.writable().ifPresent(drive -> {
                var _ = drive.call(() -> {
                    drive.contents().markSound();
                    return true;
                });
            });
        }
        begin(number);
        LOG.info("{} takes part in replication as incarnation {}", self, number);
    }

    /// The log knows this incarnation. When it cannot begin, what has begun of it ends, and another one registers.
    private void begin(int number) {
        boolean begun = false;
        incarnation = number;
        try {
            begin.accept(number);
            begun = true;
        } finally {
            if (!begun) {
                incarnation = 0;
                nonce = UUID.randomUUID().toString();
                loops.values().forEach(DriveReplicas::close);
            }
        }
    }

    private double weight(DriveSlot slot) {
        return store.stats().stream()
                .filter(drive -> drive.id().equals(slot.id()))
                .findFirst()
                .orElseThrow(() -> new StoreException.Unavailable("drive " + slot.id() + " is just being changed"))
                .weight();
    }

    private static String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            throw new StoreException.Unavailable("the kernel's boot id cannot be read: " + e.getMessage());
        }
    }

    private void beat() {
        long sent = clock.nanos();
        try {
            Beaten answer = control.beat(self, incarnation);
            if (answer.promised()) {
                loops.values().forEach(loop -> loop.lease().promised(sent, answer.version()));
            }
        } catch (StoreException away) {
            LOG.debug("no answer to a beat: {}", away.getMessage());
        }
    }

    /// Drives that the log gives this target and that its process has not, or not any more.
    private void reportDrives() {
        if (clock.nanos() - reported < REPORT.toNanos()) {
            return;
        }
        reported = clock.nanos();
        loops.values().stream().filter(loop -> !loop.drive().serves()).forEach(DriveReplicas::close);
        try {
            List<String> out = control.current().replication().drives().entries().entrySet().stream()
                    .filter(entry -> entry.getValue().target().equals(self)
                            && !entry.getValue().out())
                    .map(Map.Entry::getKey)
                    .filter(drive -> {
                        var loop = loops.get(drive);
                        return loop == null || !loop.drive().serves();
                    })
                    .toList();
            if (!out.isEmpty()) {
                proposer.add(new Command.DriveOut(self, incarnation, out));
            }
        } catch (StoreException.Unavailable unknown) {
            LOG.debug("drives are reported later: {}", unknown.getMessage());
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
