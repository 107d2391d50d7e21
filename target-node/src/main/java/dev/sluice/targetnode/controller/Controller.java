package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.FoundCluster;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootClock;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.controller.files.StateDrives;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import dev.sluice.targetnode.controller.judge.LeaderMemory;
import dev.sluice.targetnode.controller.judge.LeaderReachability;
import dev.sluice.targetnode.controller.judge.Leases;
import dev.sluice.targetnode.controller.judge.PauseDetector;
import dev.sluice.targetnode.controller.judge.Reports;
import dev.sluice.targetnode.controller.log.Consensus;
import dev.sluice.targetnode.controller.log.StateFileLog;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One controller. It follows the log, promises leases to targets, and says which promises lapsed. The one that leads
/// plans the commands; each is in the log before anyone sees it.
///
/// A new cluster is published only when every target it is made of has joined, because slots are shared out by the
/// targets' weights, and an object written before the last one joined would be looked for elsewhere after.
public final class Controller implements ControlPlane, ControllerService, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofMillis(2);

    /// The same while a target that is down beats: the others may say soon that they hear it, too.
    private static final Duration SOON = Duration.ofMillis(10);

    /// How long ago a target that is down has beaten, when it counts as back.
    private static final Duration BACK = Duration.ofMillis(600);

    /// How long a later word keeps an earlier one out: one that was set back by a wrong clock is heard again soon.
    private static final Duration WORDS = Duration.ofSeconds(2);

    private record Word(long number, long at) {}

    /// A beat of a process that the log calls down.
    private record Returned(int incarnation, long at) {}

    private final Consensus log;
    private final SortedMap<String, String> credentials;
    private final NanoClock clock;
    private final NodeId self;
    private final SortedSet<NodeId> members;
    private final Leases leases;
    private final LeaderMemory memory;
    private final Reports reports;
    private final LeaderReachability reachability;
    private final CommandQueue commands;
    private final History history = new History();
    private final StateWatch published = new StateWatch();
    private final Map<NodeId, Returned> returned = new ConcurrentHashMap<>();
    private final Map<NodeId, Word> words = new ConcurrentHashMap<>();
    private final AtomicLong said = new AtomicLong(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    private final PauseDetector pauses;
    private final Thread judge;
    private final Thread ticker;
    private volatile Optional<ControlPlane> cluster = Optional.empty();
    private volatile boolean closed;
    private volatile Optional<ClusterState> state = Optional.empty();

    /// @param members the targets that the cluster is made of
    /// @param controllers how many there are
    Controller(
            Consensus log,
            SortedMap<String, String> credentials,
            NodeId self,
            Set<NodeId> members,
            int controllers,
            NanoClock clock) {
        this(log, credentials, self, members, controllers, clock, Group::slotsFor);
    }

    /// @param slots of a new group in a cluster of so many targets; tests choose fewer
    Controller(
            Consensus log,
            SortedMap<String, String> credentials,
            NodeId self,
            Set<NodeId> members,
            int controllers,
            NanoClock clock,
            Group.Sizes slots) {
        this.log = log;
        this.credentials = credentials;
        this.clock = clock;
        this.self = self;
        this.members = new TreeSet<>(members);
        this.leases = new Leases(clock, self);
        this.memory = new LeaderMemory(clock, leases, slots);
        this.reports = new Reports(clock, controllers);
        this.reachability = new LeaderReachability(clock);
        this.commands = new CommandQueue(log, memory, this::agreed);
        this.pauses = new PauseDetector(clock);
        this.judge = Thread.ofPlatform().name("controller " + self).daemon().unstarted(this::judgeForEver);
        this.ticker = Thread.ofPlatform().name("standstill " + self).daemon().unstarted(this::tickForEver);
        log.follow(this::applied);
    }

    /// A lone controller.
    ///
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
        return open(drives, members, credentials, clock, Group::slotsFor);
    }

    /// @param slots of a new group in a cluster of so many targets; tests choose fewer
    public static Controller open(
            StateDrives drives,
            Set<NodeId> members,
            SortedMap<String, String> credentials,
            NanoClock clock,
            Group.Sizes slots)
            throws IOException {
        var self = new TreeSet<>(members).first();
        var controller = new Controller(StateFileLog.open(drives, self), credentials, self, members, 1, clock, slots);
        try {
            controller.begin(controller);
        } catch (StoreException.DriveFailed failed) {
            throw failed.getCause() instanceof IOException why ? why : new IOException(failed);
        } catch (StoreException.InvalidArgument other) {
            throw new IOException(other.getMessage(), other);
        }
        return controller;
    }

    /// A new life of this controller; of a new cluster, if the log is empty.
    ///
    /// @param plane reaches the controller that leads
    private void begin(ControlPlane plane) {
        if (log.mayFound()) {
            var _ = log.propose(new FoundCluster(UUID.randomUUID().toString(), members)); // or somebody else did
        }
        if (log.snapshot().isEmpty()) {
            throw new StoreException.Unavailable(self + " knows no cluster yet");
        }
        var known = plane.confirm();
        if (!known.members().equals(members)) {
            throw new StoreException.InvalidArgument(
                    "the cluster was made with the targets %s, but the configuration names %s"
                            .formatted(known.members(), members));
        }
        log.begins();
        int boot = known.replication().controllers().getOrDefault(self, 0) + 1;
        var _ = plane.apply(new Command.ControllerBoot(self, boot));
        leases.boots(boot);
        LOG.info("{} is a controller, its life {}", self, boot);
    }

    /// Begins to judge the targets: until then none that is up is declared down, and none that is down up.
    public void start() {
        start(this);
    }

    /// @param plane reaches the controller that leads
    public void start(ControlPlane plane) {
        cluster = Optional.of(plane);
        judge.start();
        ticker.start();
    }

    /// Ends what [#start] began. No change is made after it.
    @Override
    public void close() {
        closed = true;
        judge.interrupt();
        ticker.interrupt();
        published.end();
        log.close();
    }

    // ---- the state

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

    private ClusterState agreed() {
        return state.orElseThrow(() -> new StoreException.NotLeader(
                self + " knows no cluster yet", log.seat().leader().map(NodeId::value)));
    }

    /// As the log says, in its order.
    private void applied(List<Change> changes, ClusterState next) {
        if (changes.isEmpty()) {
            history.clear();
        }
        changes.forEach(history::add);
        state = Optional.of(next);
        leases.follow(next);
        memory.follow(next);
        if (next.formed()) {
            published.publish(next.carrying(credentials));
        }
        if (next.replication().targets().keySet().containsAll(next.members())) {
            next.replication().drives().prepare(); // not first when a target is gone
        }
    }

    /// What a node with the state of this version lacks.
    public StateUpdate updateSince(long version) {
        return update(current(), version);
    }

    private StateUpdate update(ClusterState now, long version) {
        return now.version() == version
                ? new StateUpdate.Changes(List.of())
                : history.since(version)
                        .filter(_ -> now.formed())
                        .<StateUpdate>map(StateUpdate.Changes::new)
                        .orElseGet(() -> new StateUpdate.Snapshot(now));
    }

    private Told told(StateUpdate update) {
        return new Told(update, log.seat().leadership());
    }

    @Override
    public Told newer(long version, Duration patience) {
        requireNewest();
        if (version >= 0 && current().version() <= version) {
            var watch = published.watch(version);
            if (Await.within(patience, watch).isEmpty()) {
                watch.cancel(false);
                requireNewest();
                return told(new StateUpdate.Changes(List.of()));
            }
        }
        return told(updateSince(version));
    }

    /// Who does not hear the leader may have an old state for long. So has a controller that begins again, while it
    /// applies its log once more; its own boot number comes after all that.
    private void requireNewest() {
        if (leases.boot() == 0) {
            throw new StoreException.Unavailable(self + " has not applied the controllers' log yet");
        }
        if (log.seat().leader().isEmpty()) {
            throw new StoreException.Unavailable(self + " hears no leader of the controllers");
        }
    }

    // ---- commands

    @Override
    public ClusterState apply(Command command) {
        if (closed) {
            throw new StoreException.Unavailable("the controller stops");
        }
        requireLeading();
        return switch (command) {
            case Command.CutOff off when !isMine(off.answers()) -> confirm();
            case Command.Expel expel
            when !expel.answers().map(this::isMine).orElse(true) -> applied(new Command.Expel(expel.asking()));
            default -> applied(command);
        };
    }

    /// A beat that was answered by another controller may have come to this one late.
    private boolean isMine(Command.Answers answers) {
        return answers.controller().equals(self);
    }

    private ClusterState applied(Command command) {
        return commands.apply(command).carrying(credentials);
    }

    private void requireLeading() {
        var seat = log.seat();
        if (!seat.leads()) {
            throw new StoreException.NotLeader(
                    self + " does not lead",
                    seat.leader().filter(leader -> !leader.equals(self)).map(NodeId::value));
        }
    }

    @Override
    public Told apply(Command command, long version) {
        return told(update(apply(command), version));
    }

    @Override
    public ClusterState confirm() {
        requireLeading();
        log.requireUsable();
        return agreed().carrying(credentials);
    }

    @Override
    public Told confirm(long version) {
        return told(update(confirm(), version));
    }

    /// Whether a start would need this drive's copy of the state. Never blocks.
    public boolean isKeptOn(String drive) {
        return log.isKeptOn(drive);
    }

    // ---- targets

    /// Waits for nothing.
    @Override
    public HeartbeatAnswer beat(Heartbeat beat) {
        memory.beat(beat);
        var target = beat.target();
        var beaten = leases.beat(target, beat.incarnation(), log.seat().leadership());
        if (log.isReplaced()) {
            return new HeartbeatAnswer(self, false, beaten.version(), beaten.leadership());
        }
        if (leases.isDown(target, beat.incarnation())) {
            if (returned.put(target, new Returned(beat.incarnation(), clock.nanos())) == null) {
                LockSupport.unpark(judge);
            }
        }
        return beaten;
    }

    @Override
    public void beat(Heartbeat beat, Consumer<HeartbeatAnswer> answered) {
        answered.accept(beat(beat));
    }

    /// What this controller says to the others.
    public ControllerStatus word() {
        long now = clock.nanos();
        var back = new TreeMap<NodeId, Integer>();
        returned.forEach((target, one) -> {
            if (now - one.at() > BACK.toNanos() || !leases.isDown(target, one.incarnation())) {
                returned.remove(target, one);
            } else {
                back.put(target, one.incarnation());
            }
        });
        long number = said.incrementAndGet(); // before it looks: what a later number says is newer
        return new ControllerStatus(self, number, log.seat(), leases.boot(), leases.reported(), back);
    }

    /// What another one said. One that was overtaken on its way says nothing any more.
    public synchronized void heard(ControllerStatus word) {
        long now = clock.nanos();
        var last = words.get(word.controller());
        if (last != null && word.number() < last.number() && now - last.at() < WORDS.toNanos()) {
            return;
        }
        words.put(word.controller(), new Word(word.number(), now));
        log.heard(word.controller(), word.seat());
        noted(word);
    }

    private void noted(ControllerStatus word) {
        reports.heard(word);
        reachability.heard(word);
    }

    private void judgeForEver() {
        while (!closed && !hasBegun()) {
            LockSupport.parkNanos(TICK.toNanos());
        }
        while (!closed) {
            try {
                long wait = leases.untilNextLapse(TICK).plus(PAUSE).toNanos();
                LockSupport.parkNanos(returned.isEmpty() ? wait : Math.min(wait, SOON.toNanos()));
                allowForStandstill();
                judge();
            } catch (StoreException e) {
                LOG.warn("cannot change the state of a target: {}", e.getMessage());
            } catch (RuntimeException bug) {
                LOG.error("the targets were not judged: a bug", bug);
                LockSupport.parkNanos(TICK.toNanos());
            }
        }
    }

    private boolean hasBegun() {
        if (leases.boot() > 0) {
            return true;
        }
        try {
            begin(cluster.orElseThrow());
            return true;
        } catch (StoreException.Unavailable | StoreException.NotLeader away) {
            LOG.debug("{} does not begin yet: {}", self, away.getMessage());
        } catch (StoreException refused) {
            LOG.error("{} is no controller: {}", self, refused.getMessage());
            LockSupport.parkNanos(TICK.multipliedBy(100).toNanos());
        } catch (RuntimeException bug) {
            LOG.error("{} does not begin: a bug", self, bug);
        }
        return false;
    }

    /// Also while the judge waits for a drive or another command, which is no standstill itself.
    private void tickForEver() {
        while (!closed) {
            LockSupport.parkNanos(PauseDetector.TICK.toNanos());
            allowForStandstill();
        }
    }

    private void allowForStandstill() {
        leases.stoodStill(pauses.look());
    }

    /// What is due now. Promises lapse on each controller; the one that leads logs what follows, may choose drives
    /// again that refused a write or were full, and sees that the state is kept where it is to be.
    public void judge() {
        var _ = leases.lapsed();
        noted(word());
        if (log.seat().leads()) {
            var known = agreed();
            reports.due(known.replication()).forEach(this::judged);
            memory.reachability().judge(agreed(), this::apply);
            if (memory.mayChooseAgain(agreed().replication())) {
                apply(new Command.Fill());
            }
            reachability.better(self).ifPresent(log::handOver);
            log.tend();
        }
    }

    private void judged(Command command) {
        var after = apply(command);
        if (command instanceof Command.Down down
                && after.replication()
                        .target(down.target())
                        .filter(entry -> !entry.up())
                        .isPresent()) {
            LOG.warn(
                    "{} is down: {} promised it nothing for {} ms",
                    down.target(),
                    down.boots().keySet(),
                    Leases.PROMISE.toMillis());
        }
    }
}
