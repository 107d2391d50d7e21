package dev.sluice.common.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.LoggedChange;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The control plane as a node has it: a copy of the state, kept by asking any controller that hears the leader, and
/// commands for the one that leads. A controller of the same process is called directly, and asked first.
public final class Controllers implements ControlPlane, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Controllers.class);

    /// How long a controller may hold a question for newer states: one that stands still is noticed so late.
    public static final Duration POLL = Duration.ofMillis(500);

    private static final int GROUP = 3;

    /// How long a command, or a question, looks for the leader.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /// With less no change is sent.
    private static final Duration LEAST = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration LOOK = Duration.ofMillis(100);

    /// A leader that has not answered for so long may have been replaced.
    private static final Duration LONG = Duration.ofMillis(500);

    /// ... and one that was asked by a node which knew no leader yet.
    private static final Duration LONGER = Duration.ofSeconds(2);

    /// How long one that did not answer is not asked for newer states, if others are.
    private static final Duration AVOIDED = Duration.ofSeconds(2);

    private static final Duration SILENT = Duration.ofSeconds(5);

    /// How long one that was not reached is asked for the leader's work only if no other is there to pass it on.
    private static final Duration UNREACHED = Duration.ofSeconds(10);

    /// A controller that answers neither a command nor a beat for so long is not reached, if another answers beats.
    private static final Duration NO_BEAT = Duration.ofSeconds(1);

    private final List<NodeId> ids;
    private final Map<NodeId, ControllerService> here;
    private final Map<NodeId, RemoteController> remote = new ConcurrentHashMap<>();
    private final Map<NodeId, HeartbeatSender> senders = new ConcurrentHashMap<>();
    private final Map<NodeId, Long> unreached = new ConcurrentHashMap<>(); // until when
    private final Map<NodeId, Long> beaten = new ConcurrentHashMap<>(); // when it answered the last beat
    private final PeerClient beats;
    private final StateWatch published = new StateWatch();
    private final Thread watcher;
    private volatile Leadership leadership = Leadership.UNKNOWN;
    private volatile boolean closed;

    /// @param addresses of all controllers
    /// @param here those of this process, as they come and go
    /// @param verifies whether this node verifies clients' signatures: then it asks for their keys too
    public Controllers(
            List<PeerAddress> addresses,
            Map<NodeId, ControllerService> here,
            PeerClient peers,
            SealedSecrets secrets,
            boolean verifies) {
        this.here = here;
        this.beats = peers.apart("beats");
        this.ids = addresses.stream().map(PeerAddress::id).sorted().toList();
        for (var address : addresses) {
            remote.put(address.id(), new RemoteController(peers, beats, address, secrets, verifies));
            senders.put(
                    address.id(),
                    new HeartbeatSender(
                            address.id(), beat -> service(address.id()).beat(beat)));
        }
        this.watcher = Thread.ofVirtual().name("watch-controllers").start(this::watchForEver);
    }

    /// The targets that are controllers: the three with the lowest ids, or one where there are fewer.
    public static List<PeerAddress> among(Collection<PeerAddress> targets) {
        return targets.stream()
                .sorted(Comparator.comparing(PeerAddress::id))
                .limit(targets.size() < GROUP ? 1 : GROUP)
                .toList();
    }

    private ControllerService service(NodeId controller) {
        var near = here.get(controller);
        return near != null ? near : Optional.ofNullable(remote.get(controller)).orElseThrow();
    }

    @Override
    public ClusterView view() {
        return published.current();
    }

    @Override
    public CompletableFuture<ClusterState> watch(long version) {
        return published.watch(version);
    }

    /// A controller of this node, for nodes that do not reach the one that leads: it asks that one for them.
    public ControllerService passingOn(ControllerService own) {
        return new ForwardingControlPlane(
                own, id -> Optional.ofNullable(remote.get(id)).map(RemoteController::passingNothingOn));
    }

    /// The leader as far as this node knows.
    public Leadership leadership() {
        return leadership;
    }

    // ---- the leader

    @Override
    public ClusterState apply(Command command) {
        long deadline = System.nanoTime() + Deadline.atMost(PATIENCE).toNanos();
        var candidates = new Candidates();
        while (true) {
            var controller = candidates.next();
            requireTimeForAChange();
            try {
                return take(whileItLeads(controller, to -> to.apply(command, known())));
            } catch (StoreException.NotLeader other) {
                candidates.refused(other);
                pauseOrFail(deadline, other);
            }
        }
    }

    /// What is sent and not waited for may be done or not, and its sender cannot tell.
    private static void requireTimeForAChange() {
        if (Deadline.atMost(PATIENCE).compareTo(LEAST) < 0) {
            throw new StoreException.Unavailable("nothing was changed: too little time was left for it");
        }
    }

    @Override
    public ClusterState confirm() {
        long deadline = System.nanoTime() + Deadline.atMost(PATIENCE).toNanos();
        var candidates = new Candidates();
        while (true) {
            var controller = candidates.next();
            try {
                return take(whileItLeads(controller, to -> to.confirm(known())));
            } catch (StoreException.NotLeader other) {
                candidates.refused(other);
                pauseOrFail(deadline, other);
            } catch (StoreException.Unavailable away) {
                pauseOrFail(deadline, away);
            }
        }
    }

    /// In which order controllers are asked: the leader first, unless it was not reached. Others pass it on.
    private final class Candidates {
        private Optional<NodeId> hint = leadership.leader();
        private int at = Math.max(0, hint.map(leader -> ids.indexOf(leader) + 1).orElse(0));

        NodeId next() {
            var named = hint.filter(ids::contains).filter(Controllers.this::mayBeReached);
            hint = Optional.empty();
            return named.orElseGet(this::another);
        }

        private NodeId another() {
            for (int i = 0; i < ids.size(); i++) {
                var next = ids.get(at++ % ids.size());
                if (mayBeReached(next)) {
                    return next;
                }
            }
            return ids.get(at++ % ids.size());
        }

        void refused(StoreException.NotLeader other) {
            hint = other.leader().map(NodeId::new);
        }
    }

    private boolean mayBeReached(NodeId controller) {
        var until = unreached.get(controller);
        long now = System.nanoTime();
        return until == null || (until < now && !answersNoBeat(controller, now - NO_BEAT.toNanos()));
    }

    private void missed(NodeId controller) {
        unreached.put(controller, System.nanoTime() + UNREACHED.toNanos());
    }

    private void pauseOrFail(long deadline, StoreException why) {
        if (closed || System.nanoTime() > deadline) {
            throw new StoreException.Unavailable("no controller leads: " + why.getMessage());
        }
        LockSupport.parkNanos(PAUSE.toNanos());
    }

    /// A controller that stands still is not waited for when another one leads meanwhile. One of this process has
    /// limits of its own, and looks at no [Deadline].
    private ControllerService.Told whileItLeads(
            NodeId controller, Function<ControllerService, ControllerService.Told> call) {
        var near = here.get(controller);
        if (near != null) {
            return call.apply(near);
        }
        long term = leadership.term();
        long asked = System.nanoTime();
        var patience = term < 0 ? LONGER : LONG;
        var answer = new CompletableFuture<ControllerService.Told>();
        var caller = Thread.ofVirtual().name("ask " + controller).start(Deadline.carried(() -> {
            try {
                answer.complete(call.apply(service(controller)));
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        }));
        while (true) {
            try {
                var told = answer.get(LOOK.toNanos(), TimeUnit.NANOSECONDS);
                unreached.remove(controller);
                return told;
            } catch (TimeoutException _) {
                long waited = System.nanoTime() - asked;
                var now = leadership;
                boolean isReplaced = waited > patience.toNanos() && now.term() > term && !now.isOf(controller);
                if (isReplaced || (waited > NO_BEAT.toNanos() && answersNoBeat(controller, asked))) {
                    missed(controller);
                    caller.interrupt();
                    throw new StoreException.Unavailable(controller + " did not answer, and "
                            + (isReplaced ? "another controller leads now" : "answers no heartbeats")
                            + "; it is not known whether the change was made");
                }
            } catch (ExecutionException failure) {
                if (failure.getCause() instanceof StoreException why) {
                    boolean isOwn = why instanceof StoreException.NotLeader || leadership.isOf(controller);
                    if (isOwn && why.getCause() instanceof IOException) {
                        missed(controller); // else it may have waited for the leader
                    }
                    throw why;
                }
                throw new IllegalStateException(failure.getCause());
            } catch (InterruptedException _) {
                caller.interrupt();
                Thread.currentThread().interrupt();
                throw new StoreException.Unavailable("interrupted while asking " + controller);
            }
        }
    }

    private boolean answersNoBeat(NodeId controller, long since) {
        return !hasBeaten(controller, since) && ids.stream().anyMatch(other -> hasBeaten(other, since));
    }

    private boolean hasBeaten(NodeId controller, long since) {
        var last = beaten.get(controller);
        return last != null && last > since;
    }

    // ---- the copy

    private void watchForEver() {
        var avoided = new ConcurrentHashMap<NodeId, Long>();
        long heard = System.nanoTime();
        boolean complained = false;
        while (!closed) {
            var order = inOrder(avoided);
            var last = Optional.<StoreException>empty();
            for (var controller : order) {
                try {
                    take(service(controller).newer(known(), POLL));
                    last = Optional.empty();
                    avoided.remove(controller);
                    break;
                } catch (StoreException away) {
                    avoided.put(controller, System.nanoTime() + AVOIDED.toNanos());
                    last = Optional.of(away);
                } catch (RuntimeException bug) {
                    LOG.error("no newer state from {}: a bug", controller, bug);
                    last = Optional.of(new StoreException.Unavailable(bug.toString()));
                }
            }
            if (last.isEmpty()) {
                heard = System.nanoTime();
                complained = false;
                continue;
            }
            if (!complained && !closed && System.nanoTime() - heard > SILENT.toNanos()) {
                LOG.warn("no word from the controllers {}: {}", ids, last.get().getMessage());
                complained = true; // once for each outage
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /// Those of this process first; the others in another order on each node. Those that did not answer come last.
    private List<NodeId> inOrder(Map<NodeId, Long> avoided) {
        var order = new ArrayList<>(ids);
        Collections.rotate(order, System.identityHashCode(this) % ids.size());
        long now = System.nanoTime();
        order.sort((one, other) -> Integer.compare(rank(one, avoided, now), rank(other, avoided, now)));
        return order;
    }

    private int rank(NodeId controller, Map<NodeId, Long> avoided, long now) {
        var until = avoided.get(controller);
        return until != null && until > now ? 2 : here.containsKey(controller) ? 0 : 1;
    }

    private long known() {
        return published.newest().map(ClusterState::version).orElse(-1L);
    }

    /// One after the other, so that each row which did not change stays the same object.
    private synchronized ClusterState take(ControllerService.Told told) {
        leadership = leadership.or(told.leadership());
        return switch (told.update()) {
            case StateUpdate.Snapshot(var state) ->
                publish(published.newest().map(state::sharing).orElse(state));
            case StateUpdate.Changes(var changes) -> publish(changed(changes));
        };
    }

    private ClusterState changed(List<LoggedChange> changes) {
        var state = published
                .newest()
                .orElseThrow(() -> new StoreException.Unavailable("This node does not know the cluster's state yet"));
        for (var logged : changes) {
            var change = logged.change();
            if (change.ifVersion() < state.version()) {
                continue;
            }
            long version = state.version();
            state = state.apply(change)
                    .orElseThrow(() -> new StoreException.Unavailable(
                            "a controller sent the change after %d, not %d".formatted(change.ifVersion(), version)));
        }
        return state;
    }

    /// The newest that this node has then. A state is told to others only when all targets have joined.
    private ClusterState publish(ClusterState state) {
        if (!state.formed()) {
            return state;
        }
        published.publish(state);
        return published.newest().orElseThrow();
    }

    // ---- beats

    @Override
    public int controllers() {
        return ids.size();
    }

    @Override
    public void beat(Heartbeat beat, Consumer<HeartbeatAnswer> answered) {
        senders.forEach((controller, sender) -> sender.send(beat, answer -> {
            beaten.put(controller, System.nanoTime());
            leadership = leadership.or(answer.leadership());
            answered.accept(answer);
        }));
    }

    @Override
    public void close() {
        closed = true;
        watcher.interrupt();
        senders.values().forEach(HeartbeatSender::close);
        published.end();
        beats.close();
    }
}
