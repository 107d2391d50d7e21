package dev.sluice.cli;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.node.NodeFactory;
import dev.sluice.cli.node.RunningNode;
import dev.sluice.cli.node.SharedRuntime;
import dev.sluice.cli.node.StartRefused;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/// Nodes that answer /health and nothing else: enough to test how they are started and stopped. A zone or region named
/// `refuse` makes the first target refuse to start.
final class HealthOnlyNodes implements NodeFactory {
    @Override
    public SharedRuntime share(NodeConfig first) {
        return () -> {};
    }

    @Override
    public RunningNode start(NodeConfig config, SharedRuntime shared) throws StartRefused {
        if (config.auth().region().equals("refuse")) {
            throw new StartRefused("the region refuse is not served");
        }
        try {
            var address = config.node().address();
            var server = HttpServer.create(new InetSocketAddress(address.host(), address.port()), 16);
            server.createContext("/health", exchange -> {
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.start();
            return new HealthOnlyNode(config, server);
        } catch (IOException taken) {
            throw new StartRefused(config.node().listen() + ": " + taken.getMessage(), taken);
        }
    }

    private record HealthOnlyNode(NodeConfig config, HttpServer server) implements RunningNode {
        @Override
        public NodeId id() {
            return config.node().nodeId();
        }

        @Override
        public String url() {
            return config.node().url();
        }

        @Override
        public boolean ready() {
            return true;
        }

        @Override
        public void drain(Duration longest) {
            // Nothing is ever at work.
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
