package dev.sluice.cli.cluster;

import dev.sluice.cli.api.ClusterHealth;
import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.api.NodeHealth;
import dev.sluice.cli.api.RepairProgress;
import dev.sluice.cli.process.ProcessStamp;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.peer.ControllerHealth;
import java.util.List;
import java.util.Optional;

/// How a cluster is: from its file and processes, or (of another machine) from its own map.
///
/// @param slots of the replicated buckets; empty when no node tells
/// @param repair empty when no slot lacks replicas
/// @param muted ids of targets that most other targets do not hear
public record ClusterStatus(
        String endpoint,
        String state,
        List<NodeStatus> nodes,
        Optional<SlotCounts> slots,
        Optional<RepairProgress> repair,
        List<String> muted) {

    /// One node; `pid` 0 where it is unknown. State: serving, starting (runs, not ready), unreachable, stopped. Its
    /// drives are those that do not serve; `controller` is empty where it is none.
    public record NodeStatus(
            String id,
            String role,
            String url,
            String state,
            long pid,
            String log,
            List<NodeHealth.Drive> drives,
            Optional<ControllerHealth> controller) {
        boolean isSound() {
            return drives.stream().allMatch(NodeHealth.Drive::isWanted)
                    && controller.map(ControllerHealth::reason).orElse("").isEmpty();
        }
    }

    /// Of the cluster that `up` started in DIR.
    public static ClusterStatus of(ClusterFile cluster, Trust trust) {
        var nodes = cluster.nodes().stream()
                .map(node -> status(
                        node.id(), node.role().toString(), node.url(), health(node, trust), node.pid(), node.log()))
                .toList();
        return status(cluster.endpoint(), nodes, trust);
    }

    /// Of any cluster, asked at one of its nodes.
    public static ClusterStatus of(NativeApi api) {
        var nodes = api.clusterMap().stream()
                .map(node -> status(
                        node.id(),
                        node.role(),
                        node.url(),
                        Optional.of(NativeApi.health(node.url(), api.trust())),
                        0,
                        ""))
                .toList();
        return status(api.endpoint().toString(), nodes, api.trust());
    }

    /// @param health empty of a node that does not run
    private static NodeStatus status(
            String id, String role, String url, Optional<NodeHealth> health, long pid, String log) {
        return new NodeStatus(
                id,
                role,
                url,
                health.map(found -> found.state().state()).orElse("stopped"),
                pid,
                log,
                health.map(NodeHealth::drives).orElse(List.of()),
                health.flatMap(NodeHealth::controller));
    }

    /// Of the whole cluster, as the first node says that can.
    private static ClusterStatus status(String endpoint, List<NodeStatus> nodes, Trust trust) {
        var whole = nodes.stream()
                .filter(node -> node.state().equals("serving"))
                .flatMap(node -> NativeApi.clusterHealth(node.url(), trust).stream())
                .findFirst();
        return new ClusterStatus(
                endpoint,
                overall(nodes),
                nodes,
                whole.map(ClusterHealth::slots),
                whole.filter(health -> health.slots().protection().missing() > 0)
                        .map(_ -> RepairProgress.of(
                                nodes.stream().map(NodeStatus::url).toList(), trust)),
                whole.map(ClusterHealth::muted).orElse(List.of()));
    }

    public boolean serving() {
        return state.equals("serving");
    }

    private static String overall(List<NodeStatus> nodes) {
        var serving =
                nodes.stream().filter(node -> node.state().equals("serving")).count();
        boolean sound = nodes.stream().allMatch(NodeStatus::isSound);
        return serving == nodes.size() && sound ? "serving" : serving == 0 ? "stopped" : "degraded";
    }

    private static Optional<NodeHealth> health(ClusterFile.Node node, Trust trust) {
        return Optional.of(node.process()).filter(ProcessStamp::alive).map(_ -> NativeApi.health(node.url(), trust));
    }
}
