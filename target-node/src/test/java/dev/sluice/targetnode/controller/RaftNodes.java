package dev.sluice.targetnode.controller;

import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.http.engine.AccessLog;
import dev.sluice.common.http.engine.EngineConfig;
import dev.sluice.common.http.engine.EngineMetrics;
import dev.sluice.common.http.engine.EventLoops;
import dev.sluice.common.http.engine.FailureAnswers;
import dev.sluice.common.http.engine.HttpServer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import dev.sluice.targetnode.controller.log.NoControlPlane;
import dev.sluice.targetnode.controller.log.RaftLog;
import dev.sluice.targetnode.controller.log.RaftPeers;
import dev.sluice.targetnode.controller.raft.LogId;
import dev.sluice.targetnode.controller.raft.RaftHandler;
import dev.sluice.targetnode.peer.PeerApi;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/// Parts of one log, each with the HTTP server and the client of a node.
public final class RaftNodes implements AutoCloseable {
    private static final byte[] KEY = "the key of all nodes".getBytes(StandardCharsets.UTF_8);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Path root;
    private final LogId logId = LogId.random();
    private final EventLoops loops = EventLoops.start(1);
    private final Map<String, PeerAddress> addresses = new ConcurrentHashMap<>();
    private final Map<String, Node> nodes = new TreeMap<>();

    public RaftNodes(Path root) {
        this.root = root;
    }

    private final class Node implements AutoCloseable {
        private final PeerClient client;
        private final RaftPeers peers;
        private final HttpServer server;
        private final RaftLog log;

        Node(String id, Set<String> founders) throws IOException {
            var tokens = new PeerTokens(new NodeId(id), KEY, InstantSource.system());
            var handler = new CompletableFuture<RaftHandler>();
            client = new PeerClient(tokens);
            peers = new RaftPeers(client, peer -> Optional.ofNullable(addresses.get(peer)));
            server = serve(tokens, handler);
            var url = "http://127.0.0.1:" + server.address().getPort();
            addresses.put(id, new PeerAddress(new NodeId(id), url));
            log = new RaftLog(root.resolve(id), logId, "drive of " + id, id, founders, peers);
            handler.complete(log.handler());
        }

        private HttpServer serve(PeerTokens tokens, CompletableFuture<RaftHandler> handler) throws IOException {
            var api = new PeerApi(
                    tokens,
                    new SealedSecrets(KEY),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(new OnlyRaft(new LateHandler(handler))),
                    new ClusterViews(new NoControlPlane()));
            return HttpServer.start(
                    EngineConfig.DEFAULTS,
                    loops,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    api,
                    new EngineMetrics(new SimpleMeterRegistry(), "test"),
                    FailureAnswers.PLAIN,
                    AccessLog.NONE);
        }

        @Override
        public void close() {
            server.close();
            log.close();
            peers.close();
            client.close();
        }
    }

    private record OnlyRaft(RaftHandler raft) implements ControllerNode {
        @Override
        public ControllerService service() {
            throw new StoreException.Unavailable("nobody plans here");
        }

        @Override
        public ControllerService forOthers() {
            return service();
        }

        @Override
        public ControllerStatus exchange(ControllerStatus word) {
            throw new StoreException.Unavailable("nobody plans here");
        }
    }

    /// The node listens before it has its part of the log: its address is only known then.
    private record LateHandler(CompletableFuture<RaftHandler> handler) implements RaftHandler {
        private RaftHandler now() throws IOException {
            if (!handler.isDone()) {
                throw new IOException("it is being opened");
            }
            return handler.join();
        }

        @Override
        public byte[] vote(byte[] request) throws IOException {
            return now().vote(request);
        }

        @Override
        public byte[] append(byte[] request) throws IOException {
            return now().append(request);
        }

        @Override
        public byte[] snapshot(byte[] request) throws IOException {
            return now().snapshot(request);
        }

        @Override
        public byte[] startElection(byte[] request) throws IOException {
            return now().startElection(request);
        }
    }

    /// @param founders none for one that is to be added
    public void open(String id, String... founders) throws IOException {
        nodes.put(id, new Node(id, Set.of(founders)));
    }

    public void close(String id) {
        Optional.ofNullable(nodes.remove(id)).ifPresent(Node::close);
    }

    public RaftLog log(String id) {
        return Optional.ofNullable(nodes.get(id)).orElseThrow().log;
    }

    /// The one that a majority follows.
    public String leader() {
        var found = new HashMap<String, String>();
        eventually(LONG, () -> {
            nodes.forEach((id, node) -> {
                if (node.log.isLeader()) {
                    found.put("leader", id);
                }
            });
            return found.containsKey("leader");
        });
        return Optional.ofNullable(found.get("leader")).orElseThrow();
    }

    /// Until the leader has logged it, whoever that is by then. An entry for a state has its effect once.
    public void propose(LogEntry entry) {
        eventually(LONG, () -> {
            try {
                log(leader()).propose(entry);
                return true;
            } catch (StoreException.Unavailable again) {
                return false;
            }
        });
    }

    boolean allHave(ClusterState state) {
        return nodes.values().stream()
                .allMatch(node -> node.log.snapshot().filter(state::equals).isPresent());
    }

    public void awaitAllHave(ClusterState state) {
        eventually(LONG, () -> allHave(state));
    }

    @Override
    public void close() {
        nodes.values().forEach(Node::close);
        loops.close();
    }
}
