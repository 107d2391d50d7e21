package dev.sluice.cli.cluster;

import dev.sluice.cli.config.AuthConfig;
import dev.sluice.cli.config.ClusterConfig;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.config.NodeRole;
import dev.sluice.cli.config.value.HostPort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Where everything of a local cluster is: files below DIR, ids, ports.
public record Layout(Path dir) {
    public static final int FIRST_TARGET_PORT = 100;

    /// One node before it has a process.
    public record Planned(String id, NodeRole role, int port, List<Path> drives) {}

    public Path clusterFile() {
        return dir.resolve("cluster.json");
    }

    public Path settings() {
        return dir.resolve("sluice.toml");
    }

    public Path keys() {
        return dir.resolve("keys.toml");
    }

    public Path lock() {
        return dir.resolve("lock");
    }

    public Path nodeConfig(String id) {
        return dir.resolve("nodes").resolve(id + ".toml");
    }

    public Path logs() {
        return dir.resolve("log");
    }

    public Path runs() {
        return dir.resolve("run");
    }

    public List<Planned> nodes(ClusterConfig.Shape shape) {
        var nodes = new ArrayList<Planned>();
        for (var i = 0; i < shape.proxies(); i++) {
            nodes.add(new Planned("proxy%03d".formatted(i + 1), NodeRole.PROXY, shape.port() + i, List.of()));
        }
        for (var j = 0; j < shape.targets(); j++) {
            var id = "target%03d".formatted(j + 1);
            nodes.add(new Planned(id, NodeRole.TARGET, shape.port() + FIRST_TARGET_PORT + j, drives(shape, id)));
        }
        return nodes;
    }

    private List<Path> drives(ClusterConfig.Shape shape, String id) {
        if (!shape.driveRoots().isEmpty()) {
            return shape.driveRoots().stream()
                    .map(root -> dir.resolve(root).resolve(id))
                    .toList();
        }
        return IntStream.rangeClosed(1, shape.drives())
                .mapToObj(number -> dir.resolve(id).resolve("drive" + number))
                .toList();
    }

    /// The file of every node, in the order of `nodes`.
    public List<NodeConfig> configs(ClusterConfig config) {
        var shape = config.cluster();
        var nodes = nodes(shape);
        var members = nodes.stream()
                .map(node -> new NodeConfig.Member(node.id(), node.role(), url(config, node.port())))
                .toList();
        var backends = config.backends().on(AuthConfig.isLoopback(shape.host()));
        return nodes.stream()
                .map(node -> new NodeConfig(
                        new NodeConfig.Node(
                                node.id(),
                                node.role(),
                                new HostPort(shape.host(), node.port()).toString(),
                                url(config, node.port()),
                                ""),
                        new NodeConfig.Drives(
                                node.drives().stream().map(Path::toString).toList(), List.of()),
                        new NodeConfig.Cluster(members),
                        config.auth(),
                        config.limits(),
                        backends,
                        config.storage(),
                        config.http().below(dir),
                        config.log().below(dir).withPath(log(config, node.id()).toString())))
                .toList();
    }

    public Path log(ClusterConfig config, String id) {
        if (!config.log().path().isEmpty()) {
            return dir.resolve(config.log().path());
        }
        return logs().resolve((config.cluster().separate() ? id : EMBEDDED) + ".log");
    }

    /// The one process of an embedded cluster.
    static final String EMBEDDED = "cluster";

    private static String url(ClusterConfig config, int port) {
        return (config.http().tls() ? "https://" : "http://")
                + new HostPort(config.cluster().host(), port);
    }
}
