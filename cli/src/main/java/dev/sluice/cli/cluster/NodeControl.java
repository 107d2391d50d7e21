package dev.sluice.cli.cluster;

import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.JvmCommand;
import dev.sluice.cli.process.Signals;
import dev.sluice.cli.process.StartLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Stops and starts single nodes of a cluster whose nodes are processes of their own.
public final class NodeControl {
    private final Layout layout;
    private final JvmCommand jvm;
    private final StartLimit limit;

    public NodeControl(Layout layout, JvmCommand jvm, StartLimit limit) {
        this.layout = layout;
        this.jvm = jvm;
        this.limit = limit;
    }

    /// SIGTERM, and SIGKILL after the grace. Returns what happened, for people.
    public String stop(String id, Duration grace) {
        try (var _ = lock()) {
            var node = node(id);
            if (!node.process().alive()) {
                return id + " is not running";
            }
            var killed = Signals.stop(List.of(node.process()), grace);
            return killed.isEmpty() ? id + " stopped" : id + " did not stop in " + grace.toSeconds() + " s: killed";
        }
    }

    /// SIGKILL, as a crash would.
    public String kill(String id) {
        try (var _ = lock()) {
            var node = node(id);
            if (!node.process().alive()) {
                return id + " is not running";
            }
            Signals.kill(List.of(node.process()));
            return id + " killed";
        }
    }

    public String start(String id) throws InterruptedException {
        try (var _ = lock()) {
            var node = node(id);
            if (node.process().alive()) {
                return id + " is already running at " + node.url();
            }
            var own = jvm.withoutClientKey(cluster().accessKey());
            var process = NodeProcess.start(
                    layout, own, id, List.of(id), cluster().nodes().size(), Path.of(node.log()));
            try {
                NodeProcess.awaitReady(List.of(process), limit.ofCommand());
                cluster().with(node.with(process.stamp())).write(layout.clusterFile());
            } catch (IOException | RuntimeException | InterruptedException failure) {
                Signals.kill(List.of(process.stamp()));
                throw failure;
            }
            return id + " serves at " + node.url();
        } catch (IOException failure) {
            throw CommandFailure.failed(id + " cannot be started: " + Reasons.of(failure));
        }
    }

    private DirLock lock() {
        cluster();
        return DirLock.forCommand(layout);
    }

    private ClusterFile cluster() {
        return ClusterFile.read(layout.clusterFile())
                .orElseThrow(() ->
                        CommandFailure.refused("no cluster runs in %s: start it with sluice up --separate --dir %s"
                                .formatted(layout.dir(), layout.dir())));
    }

    private ClusterFile.Node node(String id) {
        var cluster = cluster();
        if (!cluster.started().separate()) {
            throw CommandFailure.refused("all nodes of " + layout.dir()
                    + " are one process (no --separate), so one of them cannot be stopped or started alone");
        }
        return cluster.nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow(() -> CommandFailure.refused("no node '%s' here; there are %s"
                        .formatted(
                                id,
                                cluster.nodes().stream()
                                        .map(ClusterFile.Node::id)
                                        .toList())));
    }
}
