package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootId;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This process as a member of the cluster: registers once its drives are open, and beats from then on. The beats have
/// a platform thread of their own, so that work of others does not cost the lease.
public final class Membership implements WritableDrives.Asker, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    private static final Duration BEAT = Duration.ofMillis(250);
    private static final Duration AGAIN = Duration.ofMillis(100);
    private static final Duration REPORT = Duration.ofSeconds(1);

    /// How long the first drive waits for the others. One that comes later loses its roles to other drives, which copy
    /// its slots; so most starts should be over by then.
    private static final Duration TOGETHER = Duration.ofSeconds(10);

    /// The drives of this process.
    interface Drives {
        /// Whether every drive has been opened, or cannot be for now.
        boolean allKnown();

        boolean isAnyHere();

        /// Those that are here now. Waits for them.
        ///
        /// @param nonce of the registration that names them
        List<Command.RegisteredDrive> announceAll(String nonce);

        /// Ids of those that have no room for new learners.
        Set<String> full();

        /// The log has those that were announced. Waits for them.
        void markAllSound();

        /// Tells the log which drives came and went. Never blocks.
        ///
        /// @param incarnation of this process
        /// @throws StoreException.Unavailable when the state of the log is not known
        void report(int incarnation);
    }

    private final NodeId self;
    private final ControlPlane control;
    private final Drives drives;
    private final Map<String, DriveReplicas> loops;
    private final NanoClock clock;
    private final Supplier<Optional<Set<NodeId>>> heard;
    private final IntConsumer begin;
    private final Thread thread;
    private Optional<Long> firstDrive = Optional.empty();
    private volatile int incarnation;
    private volatile boolean closed;
    private long reported;
    private long beats;
    private volatile Optional<WritableDrives.AnsweredBeat> answered = Optional.empty();

    /// @param loops the drives that take part, by id
    /// @param heard the other targets that this one hears; empty when it cannot say
    /// @param begin told which incarnation this is; once more under another one when it fails
    public Membership(
            NodeId self,
            ControlPlane control,
            Drives drives,
            Map<String, DriveReplicas> loops,
            NanoClock clock,
            Supplier<Optional<Set<NodeId>>> heard,
            IntConsumer begin) {
        this.self = self;
        this.control = control;
        this.drives = drives;
        this.loops = loops;
        this.clock = clock;
        this.heard = heard;
        this.begin = begin;
        this.thread = Thread.ofPlatform().name("beats " + self).daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// 0 before it has registered.
    @Override
    public int incarnation() {
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
                beat(incarnation);
                reportDrives();
            } catch (RuntimeException bug) {
                LOG.error("a beat failed: a bug", bug);
            }
            LockSupport.parkNanos(BEAT.toNanos());
        }
    }

    private void register() {
        if (!mayRegister()) {
            return;
        }
        var before = control.confirm();
        if (!before.map().nodes().containsKey(self)) {
            return;
        }
        var nonce = UUID.randomUUID().toString();
        var named = drives.announceAll(nonce);
        var after = control.apply(
                new Command.Register(self, nonce, before.replication().incarnation(self), bootId(), named));
        after.replication().incarnation(self, nonce).ifPresent(this::registered);
    }

    private boolean mayRegister() {
        if (firstDrive.isEmpty() && drives.isAnyHere()) {
            firstDrive = Optional.of(clock.nanos());
        }
        return drives.allKnown()
                || firstDrive
                        .filter(since -> clock.nanos() - since >= TOGETHER.toNanos())
                        .isPresent();
    }

    /// It beats before its drives have written: others wait for it from now on, and it may be called down.
    private void registered(int number) {
        beat(number);
        drives.markAllSound();
        begin(number);
        LOG.info("{} takes part in replication as incarnation {}", self, number);
    }

    /// The log knows this incarnation. When it cannot begin, another one registers.
    private void begin(int number) {
        boolean begun = false;
        incarnation = number;
        try {
            begin.accept(number);
            begun = true;
        } finally {
            if (!begun) {
                incarnation = 0;
            }
        }
    }

    private static String bootId() {
        try {
            return BootId.read();
        } catch (IOException e) {
            throw new StoreException.Unavailable("the kernel's boot id cannot be read: " + e.getMessage());
        }
    }

    @Override
    public Optional<WritableDrives.AnsweredBeat> answeredBeat() {
        return answered;
    }

    private void beat(int life) {
        long sent = clock.nanos();
        long number = ++beats;
        var promised = new LeaseGrants(control.controllers());
        control.beat(new Heartbeat(self, life, number, drives.full(), heard.get(), appliedByAll()), answer -> {
            if (answer.leads()) {
                answered(answer.controller(), number);
            }
            promised.add(answer)
                    .ifPresent(version ->
                            loops.values().forEach(loop -> loop.lease().promised(sent, version)));
        });
    }

    private synchronized void answered(NodeId controller, long number) {
        if (answered.filter(last -> last.number() >= number).isEmpty()) {
            answered = Optional.of(new WritableDrives.AnsweredBeat(controller, number));
        }
    }

    /// The version of the state that each drive that takes part has applied.
    private long appliedByAll() {
        return loops.values().stream()
                .mapToLong(loop -> loop.lease().applied())
                .min()
                .orElse(-1);
    }

    private void reportDrives() {
        if (clock.nanos() - reported < REPORT.toNanos()) {
            return;
        }
        reported = clock.nanos();
        try {
            drives.report(incarnation);
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
