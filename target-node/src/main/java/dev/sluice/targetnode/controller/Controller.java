package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.Beat;
import dev.sluice.common.cluster.Beaten;
import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Founding;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.cluster.slots.Cuts;
import dev.sluice.common.cluster.slots.Leader;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootClock;
import dev.sluice.common.time.NanoClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one controller: plans commands one after the other; each is in the log before anyone sees it.
///
/// A new cluster is published only when every target it is made of has joined, because slots are shared out by the
/// targets' weights, and an object written before the last one joined would be looked for elsewhere after.
public final class Controller implements ControlPlane, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofMillis(2);

    private final Consensus log;
    private final SortedMap<String, String> credentials;
    private final NanoClock clock;
    private final NodeId self;
    private final int boot;
    private final Promises promises;
    private final Refusals refusals;
    private final FullDrives fullDrives = new FullDrives();
    private final CutTargets cuts;
    private final History history = new History();
    private final StateWatch published = new StateWatch();
    private final BlockingQueue<Command.Up> returned = new LinkedBlockingQueue<>();
    private final Set<NodeId> returning = ConcurrentHashMap.newKeySet();
    private final Thread judge;
    private volatile boolean closed;
    private volatile ClusterState state;
    private boolean roomAgain; // on some drive, and no learner was added for that yet

    /// What this controller knows besides the log.
    private final Leader leader = new Leader() {
        @Override
        public boolean leased(NodeId target) {
            return promises.leased(target);
        }

        @Override
        public boolean avoids(int group, int slot, String drive) {
            return refusals.avoids(group, slot, drive);
        }

        @Override
        public Cuts cuts() {
            return cuts;
        }

        @Override
        public boolean isFull(String drive) {
            return fullDrives.contains(drive);
        }
    };

    /// @param log has this controller's boot number already
    private Controller(Consensus log, SortedMap<String, String> credentials, NodeId self, NanoClock clock) {
        this.log = log;
        this.credentials = credentials;
        this.clock = clock;
        this.self = self;
        this.state = log.snapshot().orElseThrow();
        this.boot = state.replication().controllers().getOrDefault(self, 0);
        this.promises = new Promises(clock, self, boot);
        this.refusals = new Refusals(clock);
        this.cuts = new CutTargets(clock);
        this.judge = Thread.ofPlatform().name("controller").daemon().unstarted(this::judgeForEver);
        log.follow(this::applied);
    }

    /// @param drives where the state is kept
    /// @param members the ids of the targets that this cluster is made of
    /// @param credentials of clients, as this node's settings say
    /// @throws IOException when the state cannot be read or written, or was made with other targets
    public static Controller open(StateDrives drives, Set<NodeId> members, SortedMap<String, String> credentials)
            throws IOException {
        return open(drives, members, credentials, new BootClock());
    }

    /// @param clock counts the time in which the machine is suspended
    public static Controller open(
            StateDrives drives, Set<NodeId> members, SortedMap<String, String> credentials, NanoClock clock)
            throws IOException {
        var wanted = new TreeSet<>(members);
        var self = wanted.first(); // until the controllers are a Raft group
        var log = StateFileLog.open(drives, self);
        begin(log, self, wanted);
        return new Controller(log, credentials, self, clock);
    }

    /// A new life of the controller; of a new cluster, if the log is empty.
    private static void begin(Consensus log, NodeId self, SortedSet<NodeId> members) throws IOException {
        try {
            if (log.snapshot().isEmpty()) {
                var _ = log.propose(new Founding(UUID.randomUUID().toString(), members)); // or somebody else did
            }
            var state = log.snapshot().orElseThrow();
            if (!state.members().equals(members)) {
                throw new IOException("the cluster was made with the targets %s, but the configuration names %s"
                        .formatted(state.members(), members));
            }
            int boot = state.replication().controllers().getOrDefault(self, 0) + 1;
            var booted = state.plan(new Command.ControllerBoot(self, boot), Leader.KNOWS_NOTHING);
            if (!log.propose(booted.orElseThrow())) {
                throw new IOException("another controller changes the cluster's state while this one starts");
            }
        } catch (StoreException.DriveFailed failed) {
            throw failed.getCause() instanceof IOException why ? why : new IOException(failed);
        }
    }

    /// Begins to judge the targets: until then none that is up is declared down, and none that is down up.
    public void start() {
        judge.start();
    }

    /// Ends what [#start] began. No change is made after it.
    @Override
    public void close() {
        closed = true;
        judge.interrupt();
        published.end();
        log.close();
    }

    @Override
    public ClusterView view() {
        return published.current();
    }

    @Override
    public CompletableFuture<ClusterState> watch(long version) {
        return published.watch(version);
    }

    /// Other nodes keep a watch open all the time; a node that stops does not wait for it to end.
    public void endWatches() {
        published.end();
    }

    @Override
    public synchronized ClusterState apply(Command command) {
        if (closed) {
            throw new StoreException.Unavailable("the controller stops");
        }
        log.requireUsable();
        followFullDrives();
        var before = state;
        var change = before.plan(command, leader);
        if (change.isEmpty()) {
            return before.carrying(credentials);
        }
        if (!log.propose(change.get())) {
            throw new StoreException.Unavailable("another change came first; try again");
        }
        var after = before.apply(change.get()).orElseThrow();
        if (command instanceof Command.TakeOff(var learners)) {
            refusals.add(learners, after);
        } else if (command instanceof Command.CutOff off) {
            refusals.add(cuts.left(off, before.replication(), after.replication()), after);
        }
        return after.carrying(credentials);
    }

    /// Whether a start would need this drive's copy of the state. Never blocks.
    public boolean isKeptOn(String drive) {
        return log.isKeptOn(drive);
    }

    /// As the log says, in its order.
    private void applied(Optional<Change> change, ClusterState next) {
        change.ifPresent(history::add);
        state = next;
        promises.follow(next);
        cuts.follow(next);
        if (next.formed()) {
            published.publish(next.carrying(credentials));
        }
        if (next.replication().targets().keySet().containsAll(next.members())) {
            next.replication().drives().prepare(); // not first when a target is gone
        }
    }

    @Override
    public ClusterState confirm() {
        return current();
    }

    @Override
    public StateUpdate updateSince(long version) {
        var current = current();
        return current.version() == version
                ? new StateUpdate.Changes(List.of())
                : history.since(version)
                        .<StateUpdate>map(StateUpdate.Changes::new)
                        .orElseGet(() -> new StateUpdate.Snapshot(current));
    }

    /// Waits for nothing.
    @Override
    public Beaten beat(Beat beat) {
        var target = beat.target();
        fullDrives.report(target, beat.incarnation(), beat.full());
        cuts.beat(beat);
        var beaten = promises.beat(target, beat.incarnation());
        if (promises.isDown(target, beat.incarnation()) && returning.add(target)) {
            returned.add(new Command.Up(target, beat.incarnation()));
        }
        return beaten;
    }

    private void judgeForEver() {
        long due = clock.nanos();
        while (!closed) {
            try {
                stoodStillSince(due);
                var wait = promises.untilNextLapse(TICK).plus(PAUSE).toNanos();
                due = clock.nanos() + wait;
                var up = Optional.ofNullable(returned.poll(wait, TimeUnit.NANOSECONDS));
                stoodStillSince(due);
                due = clock.nanos();
                if (up.isPresent()) {
                    returning.remove(up.get().target());
                    apply(up.get());
                }
                judge();
            } catch (InterruptedException stopping) {
                return;
            } catch (StoreException e) {
                LOG.warn("cannot change the state of a target: {}", e.getMessage());
            } catch (RuntimeException bug) {
                LOG.error("the targets were not judged: a bug", bug);
                LockSupport.parkNanos(TICK.toNanos());
            }
        }
    }

    /// Also while it waited for a drive or another command: it may be the process that stood still.
    private void stoodStillSince(long due) {
        promises.stoodStill(Duration.ofNanos(clock.nanos() - due));
    }

    /// What is due now: targets whose promises lapsed go down, drives that refused a write or were full may be chosen
    /// again, and the state is kept on the drives that are to keep it.
    void judge() {
        promises.lapsed().forEach((target, version) -> {
            var boots = new TreeMap<>(Map.of(self, boot)); // a majority of one
            if (apply(new Command.Down(target, version, boots))
                    .replication()
                    .target(target)
                    .filter(entry -> !entry.up())
                    .isPresent()) {
                LOG.warn("{} is down: nothing was promised to it for {} ms", target, Promises.PROMISE.toMillis());
            }
        });
        cuts.judge(state, this::apply);
        chooseAgain();
        tend();
    }

    private synchronized void chooseAgain() {
        followFullDrives();
        boolean expired = refusals.expired(state.replication(), fullDrives::contains);
        if (cuts.someHearAgain() || expired || roomAgain) {
            roomAgain = false;
            apply(new Command.Fill());
        }
    }

    private void followFullDrives() {
        var again = fullDrives.follow(state.replication());
        if (!again.isEmpty()) {
            refusals.keepLearners(again, state.replication(), fullDrives::contains);
            roomAgain = true;
        }
    }

    private synchronized void tend() {
        if (!closed) {
            log.tend();
        }
    }
}
