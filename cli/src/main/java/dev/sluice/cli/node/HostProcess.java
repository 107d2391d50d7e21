package dev.sluice.cli.node;

import dev.sluice.cli.config.NodeConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The nodes of this JVM, from start to stop: targets before proxies, drained at SIGTERM.
public final class HostProcess {
    private static final Logger LOG = LoggerFactory.getLogger(HostProcess.class);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

    private final NodeFactory factory;
    private final List<NodeConfig> configs;
    private final Duration longestStart;

    public HostProcess(NodeFactory factory, List<NodeConfig> configs, Duration longestStart) {
        this.factory = factory;
        this.configs = configs.stream()
                .sorted((a, b) -> b.node().role().compareTo(a.node().role()))
                .toList();
        this.longestStart = longestStart;
    }

    /// Starts all nodes, calls back once every one is ready, and returns after `stop` is told.
    public void run(CountDownLatch stop, Runnable ready) throws StartRefused, InterruptedException {
        try (var shared = factory.share(configs.getFirst())) {
            var nodes = new ArrayList<RunningNode>();
            try {
                for (var config : configs) {
                    nodes.add(factory.start(config, shared));
                }
                awaitReady(nodes, stop);
                ready.run();
                LOG.info("{} ready", nodes.stream().map(RunningNode::id).toList());
                stop.await();
            } finally {
                close(nodes);
            }
        }
    }

    private void awaitReady(List<RunningNode> nodes, CountDownLatch stop) throws StartRefused, InterruptedException {
        var end = System.nanoTime() + longestStart.toNanos();
        for (var node : nodes) {
            while (!node.ready() && !stop.await(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() > end) {
                    throw new StartRefused(node.id() + " was not ready after " + longestStart.toSeconds() + " s");
                }
            }
        }
    }

    private void close(List<RunningNode> nodes) {
        var grace = configs.getFirst().http().drainTimeout().duration();
        var drains = nodes.stream()
                .map(node -> Thread.startVirtualThread(() -> node.drain(grace)))
                .toList();
        for (var drain : drains) {
            joinUninterrupted(drain);
        }
        for (var node : nodes.reversed()) {
            node.close();
        }
        if (!nodes.isEmpty()) {
            LOG.info("{} stopped", nodes.stream().map(RunningNode::id).toList());
        }
    }

    private static void joinUninterrupted(Thread thread) {
        var interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
