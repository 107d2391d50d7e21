package dev.sluice.cli.config;

import dev.sluice.cli.config.value.HostPort;
import dev.sluice.common.name.NodeId;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Everything one node is told when it starts: the contents of its FILE.
public record NodeConfig(
        Node node,
        Drives drives,
        Cluster cluster,
        AuthConfig auth,
        LimitsConfig limits,
        BackendsConfig backends,
        StorageConfig storage,
        HttpConfig http,
        LogConfig log) {

    /// `[node]`: who it is.
    public record Node(String id, NodeRole role, String listen, String url, String zone) {
        public NodeId nodeId() {
            return new NodeId(id);
        }

        /// What the file leaves out, as the environment says: one file for all nodes of an orchestrator.
        Node filledFrom(Map<String, String> environment) {
            return new Node(
                    filled(id, environment.get("SLUICE_NODE_ID")),
                    role,
                    filled(listen, environment.get("SLUICE_NODE_LISTEN")),
                    filled(url, environment.get("SLUICE_NODE_URL")),
                    filled(zone, environment.get("SLUICE_NODE_ZONE")));
        }

        private static String filled(String setting, @Nullable String variable) {
            return setting.isEmpty() && variable != null ? variable.strip() : setting;
        }

        public HostPort address() {
            return HostPort.parse("node.listen", listen);
        }
    }

    /// `[drives]`: the mountpaths of a target.
    ///
    /// @param lost ids of drives that are given up
    public record Drives(List<String> paths, List<String> lost) {
        public Drives {
            paths = List.copyOf(paths);
            lost = List.copyOf(lost);
        }

        public List<Path> folders() {
            return paths.stream().map(path -> Path.of(path).toAbsolutePath()).toList();
        }
    }

    /// `[cluster]`: the members to start from, `[[cluster.nodes]]` each.
    public record Cluster(List<Member> nodes) {
        public Cluster {
            nodes = List.copyOf(nodes);
        }
    }

    /// One member of the cluster and where it is reached.
    public record Member(String id, NodeRole role, String url) {
        public Member {
            require("cluster.nodes.id", id);
            require("cluster.nodes.url", url);
            checkId("cluster.nodes.id", id);
            checkUrl("cluster.nodes.url", url);
        }
    }

    public static final NodeConfig DEFAULTS = new NodeConfig(
            new Node("", NodeRole.TARGET, "", "", ""),
            new Drives(List.of(), List.of()),
            new Cluster(List.of()),
            AuthConfig.DEFAULTS,
            LimitsConfig.DEFAULTS,
            BackendsConfig.DEFAULTS,
            StorageConfig.DEFAULTS,
            HttpConfig.DEFAULTS,
            LogConfig.DEFAULTS);

    /// Checked when read from a file, not in the constructor: the defaults alone are not a node.
    NodeConfig checked() {
        require("node.id", node.id());
        checkId("node.id", node.id());
        require("node.listen", node.listen());
        var address = node.address();
        var url = node.url().isEmpty() ? (http.tls() ? "https://" : "http://") + address : node.url();
        checkUrl("node.url", url);
        if (node.role() == NodeRole.TARGET && drives.paths().isEmpty()) {
            throw new IllegalArgumentException("drives.paths is missing: a target needs at least one drive");
        }
        if (node.role() == NodeRole.PROXY && !drives.paths().isEmpty()) {
            throw new IllegalArgumentException("drives.paths: a proxy stores nothing and takes no drives");
        }
        if (new HashSet<>(drives.folders()).size() != drives.paths().size()) {
            throw new IllegalArgumentException("drives.paths names a folder twice: " + drives.paths());
        }
        if (cluster.nodes().stream().noneMatch(member -> member.role() == NodeRole.TARGET)) {
            throw new IllegalArgumentException("cluster.nodes is missing: name the members, at least one target");
        }
        var ids = new HashSet<String>();
        for (var member : cluster.nodes()) {
            if (!ids.add(member.id())) {
                throw new IllegalArgumentException("cluster.nodes.id names " + member.id() + " twice");
            }
        }
        if (auth.enabled()) {
            require("auth.access_key", auth.accessKey());
            require("auth.secret_key", auth.secretKey());
        }
        require("auth.cluster_key", auth.clusterKey());
        auth.requireOwnKeys();
        auth.requireSafe(address.host(), http.tls());
        var named = new Node(node.id(), node.role(), node.listen(), url, node.zone());
        return new NodeConfig(named, drives, cluster, auth, limits, backends, storage, http, log);
    }

    public NodeConfig with(AuthConfig changed) {
        return new NodeConfig(node, drives, cluster, changed, limits, backends, storage, http, log);
    }

    public NodeConfig with(Node changed) {
        return new NodeConfig(changed, drives, cluster, auth, limits, backends, storage, http, log);
    }

    private static void require(String key, String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(key + " is missing");
        }
    }

    private static void checkId(String key, String id) {
        try {
            new NodeId(id);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(key + ": " + wrong.getMessage(), wrong);
        }
    }

    private static void checkUrl(String key, String url) {
        var scheme = url.startsWith("http://") || url.startsWith("https://");
        if (!scheme || URI.create(url).getHost() == null) {
            throw new IllegalArgumentException(key + " must be a URL such as http://10.0.0.1:8080, not '" + url + "'");
        }
    }
}
