package dev.sluice.targetnode.controller;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.http.engine.AccessLog;
import dev.sluice.common.http.engine.EngineConfig;
import dev.sluice.common.http.engine.EngineMetrics;
import dev.sluice.common.http.engine.EventLoops;
import dev.sluice.common.http.engine.FailureAnswers;
import dev.sluice.common.http.engine.HttpServer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerHealth;
import dev.sluice.common.peer.Controllers;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.peer.PeerApi;
import dev.sluice.testing.FreePort;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Three controllers, each with the HTTP server, the clients and the drive of its node.
final class ThreeNodes implements AutoCloseable {
    static final NodeId ONE = new NodeId("target001");
    static final NodeId TWO = new NodeId("target002");
    static final NodeId THREE = new NodeId("target003");

    private static final byte[] KEY = "the key of all nodes".getBytes(StandardCharsets.UTF_8);

    private final Path root;
    private final EventLoops loops = EventLoops.start(1);
    private final List<PeerAddress> addresses;
    private final Map<NodeId, Node> nodes = new TreeMap<>();

    ThreeNodes(Path root) throws IOException {
        this.root = root;
        addresses = Stream.of(ONE, TWO, THREE)
                .map(id -> new PeerAddress(id, "http://127.0.0.1:" + FreePort.next()))
                .toList();
        for (var id : List.of(ONE, TWO, THREE)) {
            Files.createDirectories(drive(id).resolve(".sluice"));
        }
    }

    Path drive(NodeId id) {
        return root.resolve(id.value());
    }

    private final class Node implements AutoCloseable {
        private final PeerClient client;
        private final ControllerHost host;
        private final Controllers plane;
        private final HttpServer server;

        Node(NodeId id) throws IOException {
            var tokens = new PeerTokens(id, KEY, InstantSource.system());
            var secrets = new SealedSecrets(KEY);
            client = new PeerClient(tokens);
            host = ControllerHost.open(id, TestDrives.at(drive(id)), addresses, new TreeMap<>(), client);
            plane = new Controllers(addresses, Map.of(id, host.service()), client, secrets, true);
            var api = new PeerApi(
                    tokens, secrets, Optional.empty(), Optional.empty(), Optional.of(host), new ClusterViews(plane));
            var url = address(id).url();
            server = HttpServer.start(
                    EngineConfig.DEFAULTS,
                    loops,
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(),
                            Integer.parseInt(url.substring(url.lastIndexOf(':') + 1))),
                    api,
                    new EngineMetrics(new SimpleMeterRegistry(), "test"),
                    FailureAnswers.PLAIN,
                    AccessLog.NONE);
            host.start(plane);
        }

        @Override
        public void close() {
            server.close();
            host.close();
            plane.close();
            client.close();
        }
    }

    PeerAddress address(NodeId id) {
        return addresses.stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    void start(NodeId... ids) throws IOException {
        for (var id : ids) {
            nodes.put(id, new Node(id));
        }
    }

    void stop(NodeId id) {
        Optional.ofNullable(nodes.remove(id)).ifPresent(Node::close);
    }

    /// How a node sees the cluster that is no controller, and does not reach one of them.
    Controllers planeWithout(NodeId missed, PeerClient client) {
        var seen = addresses.stream()
                .map(each -> each.id().equals(missed) ? new PeerAddress(missed, "http://127.0.0.1:1") : each)
                .toList();
        return new Controllers(seen, Map.of(), client, new SealedSecrets(KEY), true);
    }

    PeerClient client() {
        return new PeerClient(new PeerTokens(new NodeId("proxy001"), KEY, InstantSource.system()));
    }

    boolean isStarted(NodeId id) {
        return nodes.containsKey(id);
    }

    /// How this node sees the cluster.
    Controllers plane(NodeId id) {
        return node(id).plane;
    }

    ControllerHealth health(NodeId id) {
        return node(id).host.health();
    }

    Controller controller(NodeId id) {
        return (Controller) node(id).host.service();
    }

    private Node node(NodeId id) {
        return Optional.ofNullable(nodes.get(id)).orElseThrow();
    }

    @Override
    public void close() {
        nodes.values().forEach(Node::close);
        loops.close();
    }
}
