package dev.sluice.targetnode.controller;

import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.peer.Controllers;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.controller.log.ControllerLog;
import dev.sluice.targetnode.controller.log.DirectCalls;
import dev.sluice.targetnode.controller.log.RaftLog;
import dev.sluice.targetnode.controller.raft.RaftHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// Three controllers in this JVM, each with its own part of the log. What connects them with each other, and targets
/// with them, is memory, which a test cuts.
public final class MemoryControllers implements AutoCloseable {
    private static final byte[] KEY = "the key of all nodes".getBytes(StandardCharsets.UTF_8);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long WORDS_MILLIS = 100;

    private record Way(NodeId from, NodeId to) {}

    private final TreeSet<NodeId> ids;
    private final Map<NodeId, ControllerLog> logs = new TreeMap<>();
    private final Map<NodeId, Controller> controllers = new TreeMap<>();
    private final Map<NodeId, Controllers> planes = new ConcurrentHashMap<>();
    private final Set<Way> cut = ConcurrentHashMap.newKeySet();
    private final Set<Way> apart = ConcurrentHashMap.newKeySet();
    private final PeerClient nobody;
    private final ScheduledExecutorService words = Executors.newSingleThreadScheduledExecutor();

    /// @param members the targets of the cluster; the first three are the controllers
    /// @param slots of a new group in a cluster of so many targets
    public MemoryControllers(Path root, SortedSet<NodeId> members, NanoClock clock, Group.Sizes slots)
            throws IOException {
        ids = new TreeSet<>(members.stream().limit(3).toList());
        nobody = new PeerClient(new PeerTokens(ids.first(), KEY, InstantSource.system()));
        for (var id : ids) {
            var drive = root.resolve(id.value());
            Files.createDirectories(drive.resolve(".sluice"));
            var log = new ControllerLog(id, ids, TestDrives.at(drive), new DirectCalls(peer -> server(id, peer)));
            logs.put(id, log);
            controllers.put(id, new Controller(log, new TreeMap<>(), id, members, ids.size(), clock, slots));
        }
        logs.values().forEach(ControllerLog::start);
        controllers.forEach((id, controller) -> controller.start(plane(id)));
        var _ = words.scheduleWithFixedDelay(this::say, 0, WORDS_MILLIS, TimeUnit.MILLISECONDS);
    }

    private RaftHandler server(NodeId from, String peer) throws IOException {
        var node = RaftLog.node(peer);
        if (areApart(from, node)) {
            throw new IOException(peer + " is not reached");
        }
        return Optional.ofNullable(logs.get(node))
                .flatMap(ControllerLog::handler)
                .orElseThrow(() -> new IOException(peer + " is not there yet"));
    }

    private void say() {
        controllers.forEach((from, controller) -> {
            var word = controller.word();
            controllers.forEach((to, other) -> {
                if (!from.equals(to) && !areApart(from, to)) {
                    other.heard(word);
                }
            });
        });
    }

    // ---- how a node sees them

    public Controllers plane(NodeId node) {
        return planes.computeIfAbsent(node, _ -> {
            var links = new ConcurrentHashMap<NodeId, ControllerService>();
            ids.forEach(controller -> links.put(controller, new Link(node, controller)));
            var addresses = ids.stream()
                    .map(id -> new PeerAddress(id, "http://127.0.0.1:1"))
                    .toList();
            return new Controllers(addresses, links, nobody, new SealedSecrets(KEY), true);
        });
    }

    /// A controller as a node reaches it. It passes on to the leader what only that one does.
    private final class Link implements ControllerService {
        private final NodeId node;
        private final NodeId id;

        Link(NodeId node, NodeId id) {
            this.node = node;
            this.id = id;
        }

        private Controller reached() {
            if (isCut(node, id)) {
                throw new StoreException.Unavailable(id + " is not reached");
            }
            return controller(id);
        }

        @Override
        public Told newer(long version, Duration patience) {
            var told = reached().newer(version, patience);
            var _ = reached();
            return told;
        }

        @Override
        public Told confirm(long version) {
            return byTheLeader(controller -> controller.confirm(version));
        }

        @Override
        public Told apply(Command command, long version) {
            return byTheLeader(controller -> controller.apply(command, version));
        }

        private Told byTheLeader(Function<Controller, Told> call) {
            if (isCut(node, id)) {
                throw new StoreException.NotLeader(id + " is not reached", Optional.empty());
            }
            try {
                return call.apply(controller(id));
            } catch (StoreException.NotLeader other) {
                var leader = other.leader().map(NodeId::new).filter(each -> !areApart(id, each));
                if (leader.isEmpty()) {
                    throw other;
                }
                return call.apply(controller(leader.get()));
            }
        }

        @Override
        public HeartbeatAnswer beat(Heartbeat beat) {
            var answer = reached().beat(beat);
            var _ = reached();
            return answer;
        }
    }

    private Controller controller(NodeId id) {
        return Objects.requireNonNull(controllers.get(id));
    }

    /// The newest that a controller has.
    public ClusterState state() {
        return logs.values().stream()
                .flatMap(log -> log.snapshot().filter(ClusterState::formed).stream())
                .max(Comparator.comparingLong(ClusterState::version))
                .orElseThrow(() -> new StoreException.Unavailable("no controller knows the cluster yet"));
    }

    /// Until exactly one of these leads.
    public NodeId awaitLeader(Set<NodeId> among) {
        var leaders = new ArrayList<NodeId>();
        eventually(LONG, () -> {
            leaders.clear();
            among.stream()
                    .filter(ids::contains)
                    .filter(id -> Objects.requireNonNull(logs.get(id)).seat().leads())
                    .forEach(leaders::add);
            return leaders.size() == 1;
        });
        return leaders.getFirst();
    }

    public Set<NodeId> ids() {
        return Set.copyOf(ids);
    }

    /// Whether it takes commands, and can have them logged.
    public boolean isUsable(NodeId node) {
        try {
            var _ = controller(node).confirm();
            return true;
        } catch (StoreException.Unavailable | StoreException.NotLeader no) {
            return false;
        }
    }

    // ---- cuts

    private boolean isCut(NodeId one, NodeId other) {
        return cut.contains(new Way(one, other));
    }

    private boolean areApart(NodeId one, NodeId other) {
        return isCut(one, other) || apart.contains(new Way(one, other));
    }

    /// Two controllers do not reach each other; targets reach both.
    public void cutControllers(NodeId one, NodeId other) {
        apart.add(new Way(one, other));
        apart.add(new Way(other, one));
    }

    /// Two nodes do not reach each other, neither as controllers nor as a target and a controller.
    public void cut(NodeId one, NodeId other) {
        cut.add(new Way(one, other));
        cut.add(new Way(other, one));
    }

    public void heal() {
        cut.clear();
        apart.clear();
    }

    @Override
    public void close() {
        words.close();
        planes.values().forEach(Controllers::close);
        controllers.values().forEach(Controller::close);
        nobody.close();
    }

    /// The others of a controller.
    public List<NodeId> others(NodeId node) {
        return ids.stream().filter(id -> !id.equals(node)).toList();
    }
}
