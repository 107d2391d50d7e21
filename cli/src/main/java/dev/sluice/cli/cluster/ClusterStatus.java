package dev.sluice.cli.cluster;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.process.ProcessStamp;
import dev.sluice.cli.trust.Trust;
import java.util.List;
import java.util.Optional;

/// How a cluster is: from its file and processes, or (of another machine) from its own map.
public record ClusterStatus(String endpoint, String state, List<NodeStatus> nodes) {

    /// One node; `pid` 0 where it is unknown. State: serving, starting (runs, not ready), unreachable, stopped.
    public record NodeStatus(String id, String role, String url, String state, long pid, String log) {}

    /// Of the cluster that `up` started in DIR.
    public static ClusterStatus of(ClusterFile cluster, Trust trust) {
        var nodes = cluster.nodes().stream()
                .map(node -> new NodeStatus(
                        node.id(), node.role().toString(), node.url(), state(node, trust), node.pid(), node.log()))
                .toList();
        return new ClusterStatus(cluster.endpoint(), overall(nodes), nodes);
    }

    /// Of any cluster, asked at one of its nodes.
    public static ClusterStatus of(NativeApi api) {
        var nodes = api.clusterMap().stream()
                .map(node -> new NodeStatus(node.id(), node.role(), node.url(), health(node.url(), api.trust()), 0, ""))
                .toList();
        return new ClusterStatus(api.endpoint().toString(), overall(nodes), nodes);
    }

    public boolean serving() {
        return state.equals("serving");
    }

    private static String overall(List<NodeStatus> nodes) {
        var serving =
                nodes.stream().filter(node -> node.state().equals("serving")).count();
        return serving == nodes.size() ? "serving" : serving == 0 ? "stopped" : "degraded";
    }

    private static String state(ClusterFile.Node node, Trust trust) {
        return Optional.of(node.process()).filter(ProcessStamp::alive).isPresent()
                ? health(node.url(), trust)
                : "stopped";
    }

    private static String health(String url, Trust trust) {
        return NativeApi.health(url, trust).state();
    }
}
