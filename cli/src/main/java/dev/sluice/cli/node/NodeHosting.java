package dev.sluice.cli.node;

import dev.sluice.cli.cluster.DirLock;
import dev.sluice.cli.cluster.RunFiles;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.process.FileMask;
import dev.sluice.cli.process.StartLimit;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/// Runs a process of nodes: file modes and logging set up first, then the nodes, and word to the command that waits
/// for them.
public record NodeHosting(String name, List<NodeConfig> configs, Optional<RunFiles> runFiles) {
    /// Under systemd or in a container: nobody waits, the log goes where the settings say.
    public static NodeHosting alone(NodeConfig config) {
        return new NodeHosting(config.node().id(), List.of(config), Optional.empty());
    }

    /// Started by `up`, which reads the files in `DIR/run`.
    public static NodeHosting inDir(Path dir, String name, List<NodeConfig> configs) {
        return new NodeHosting(name, configs, Optional.of(new RunFiles(dir, name)));
    }

    public int run(Supplier<NodeFactory> nodes) throws InterruptedException {
        var stop = new CountDownLatch(1);
        var ended = new CountDownLatch(1);
        onTermination(stop, ended);
        try {
            return runUntil(stop, nodes);
        } finally {
            NodeLog.close();
            ended.countDown();
        }
    }

    private int runUntil(CountDownLatch stop, Supplier<NodeFactory> nodes) throws InterruptedException {
        FileMask.set(configs.getFirst().storage().fileMode().umask());
        NodeLog.open(name, configs.getFirst().log());
        try (var _ = runFiles.map(files -> DirLock.forNodes(files.dir())).orElse(null)) {
            new HostProcess(nodes.get(), configs, StartLimit.of(System.getenv()).ofProcess())
                    .run(stop, () -> runFiles.ifPresent(RunFiles::ready));
            return 0;
        } catch (StartRefused refused) {
            var reason = String.valueOf(refused.getMessage());
            NodeLog.refused(refused);
            runFiles.ifPresentOrElse(files -> files.refused(reason), () -> System.err.println("sluice: " + reason));
            return refused.exitCode();
        } catch (RuntimeException unexpected) {
            NodeLog.failed(unexpected);
            throw unexpected;
        }
    }

    /// The JVM ends when its hooks are done, so this one waits until the main thread has closed nodes and log.
    private static void onTermination(CountDownLatch stop, CountDownLatch ended) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            stop.countDown();
                            try {
                                ended.await();
                            } catch (InterruptedException impatient) {
                                Thread.currentThread().interrupt();
                            }
                        },
                        "stop"));
    }
}
