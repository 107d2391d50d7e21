package dev.sluice.cli.cluster;

import dev.sluice.cli.config.AuthConfig;
import dev.sluice.cli.config.ClusterConfig;
import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.config.NodeRole;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.JvmCommand;
import dev.sluice.cli.process.ProcessStamp;
import dev.sluice.cli.process.Signals;
import dev.sluice.cli.process.StartLimit;
import dev.sluice.common.cluster.AnyAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// `sluice up`: looks first and creates afterwards; what it created goes again if the cluster does not come up.
public final class ClusterUp {
    /// After why a cluster of before does not start.
    private static final String GONE = ". If it is because drives are gone for good: sluice cluster forget"
            + " (docs/operations/drives.md, A target will not come back)";

    private final Layout layout;
    private final JvmCommand jvm;
    private final Map<String, String> environment;

    /// A running cluster, and whether this call started it.
    public record Outcome(ClusterFile cluster, boolean startedNow, boolean recovered) {}

    public ClusterUp(Layout layout, JvmCommand jvm, Map<String, String> environment) {
        this.layout = layout;
        this.jvm = jvm;
        this.environment = environment;
    }

    public Outcome up(UpOptions options) throws InterruptedException {
        if (decide(options) instanceof UpDecision.AlreadyRunning(var cluster)) {
            return new Outcome(cluster, false, false);
        }
        var settings = Settings.of(layout, options);
        var shape = settings.config().cluster();
        ExistingDrives.check(layout, shape);
        if (NodeProcess.alive(layout).isEmpty()) {
            Ports.check(shape.host(), layout.nodes(shape));
        }
        var undo = new Undo();
        try {
            undo.folder(layout.dir(), PrivateFiles.FOLDER);
        } catch (IOException failure) {
            throw CommandFailure.failed("%s cannot be created: %s".formatted(layout.dir(), Reasons.of(failure)));
        }
        undo.expect(layout.lock());
        try (var lock = DirLock.forCommand(layout)) {
            if (decide(options) instanceof UpDecision.AlreadyRunning(var cluster)) {
                return new Outcome(cluster, false, false);
            }
            var stale = Files.exists(layout.clusterFile());
            return new Outcome(startOrUndo(lock, settings, undo), true, stale);
        }
    }

    private ClusterFile startOrUndo(DirLock lock, Settings settings, Undo undo) throws InterruptedException {
        try {
            return start(lock, settings, undo);
        } catch (IOException failure) {
            undo.undo();
            throw CommandFailure.failed("%s cannot be set up: %s".formatted(layout.dir(), Reasons.of(failure)));
        } catch (InterruptedException | RuntimeException failure) {
            undo.undo();
            throw failure;
        }
    }

    private UpDecision decide(UpOptions options) {
        var found = ClusterFile.read(layout.clusterFile());
        var alive = found.filter(ClusterFile::anyAlive).isPresent();
        var same = !alive || Settings.same(layout, options);
        var decision = UpDecision.decide(found, alive, options, same, environment);
        if (decision instanceof UpDecision.RunsDifferently(var cluster, var differences)) {
            throw CommandFailure.refused(
                    "%s is already running at %s, with other options: %s. Stop it first: sluice down --dir %s"
                            .formatted(layout.dir(), cluster.endpoint(), String.join(", ", differences), layout.dir()));
        }
        return decision;
    }

    private ClusterFile start(DirLock lock, Settings settings, Undo undo) throws IOException, InterruptedException {
        // Left by an `up` that died before its nodes were ready: nobody was told of them.
        Signals.kill(NodeProcess.alive(layout));
        lock.checkNoNodes(layout);
        Files.deleteIfExists(layout.clusterFile());
        var auth = writeKeys(settings, undo);
        var config = settings.with(auth);
        var configs = layout.configs(config);
        boolean isNew = configs.stream()
                .noneMatch(each -> Files.exists(layout.nodeConfig(each.node().id())));
        writeFiles(settings, configs, undo);
        var processes = new ArrayList<NodeProcess>();
        try {
            for (var process : processes(config.cluster()).entrySet()) {
                var log = layout.log(config, process.getKey());
                var own = jvm.withoutClientKey(auth.accessKey());
                processes.add(
                        NodeProcess.start(layout, own, process.getKey(), process.getValue(), configs.size(), log));
            }
            awaitReady(processes, isNew);
            var cluster = describe(config, configs, processes);
            undo.expect(layout.clusterFile());
            cluster.write(layout.clusterFile());
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException failure) {
            // An interrupt that is still set would break the reading of /proc and the deleting of files.
            if (Thread.interrupted() || failure instanceof InterruptedException) {
                Signals.kill(processes.stream().map(NodeProcess::stamp).toList());
                throw CommandFailure.failed("interrupted: nothing was started");
            }
            Signals.kill(processes.stream().map(NodeProcess::stamp).toList());
            throw failure;
        }
    }

    private void awaitReady(List<NodeProcess> processes, boolean isNew) throws InterruptedException {
        try {
            NodeProcess.awaitReady(processes, StartLimit.of(environment).ofCommand());
        } catch (CommandFailure failure) {
            throw isNew ? failure : failure.adding(GONE);
        }
    }

    private AuthConfig writeKeys(Settings settings, Undo undo) throws IOException {
        var auth = Settings.keys(layout, settings.config().auth(), environment);
        undo.expect(layout.keys());
        new KeyFile(auth.accessKey(), auth.secretKey(), auth.clusterKey()).write(layout.keys());
        return auth;
    }

    private void writeFiles(Settings settings, List<NodeConfig> configs, Undo undo) throws IOException {
        undo.expect(layout.settings());
        if (!Files.exists(layout.settings())
                || !Files.readString(layout.settings()).equals(settings.text())) {
            PrivateFiles.write(layout.settings(), settings.text());
        }
        for (var folder : List.of(layout.logs(), layout.runs(), layout.dir().resolve("nodes"))) {
            undo.folder(folder, PrivateFiles.FOLDER);
        }
        for (var config : configs) {
            for (var drive : config.drives().folders()) {
                undo.folder(drive, config.storage().fileMode().folders());
            }
            var file = layout.nodeConfig(config.node().id());
            undo.expect(file);
            PrivateFiles.write(
                    file, "# Written by sluice up from ../sluice.toml: edit that.\n\n" + ConfigFiles.render(config));
        }
    }

    /// Process name → node ids in it. Targets first: the first of them has the cluster's tables.
    private Map<String, List<String>> processes(ClusterConfig.Shape shape) {
        var ids = layout.nodes(shape).stream()
                .sorted((a, b) -> b.role().compareTo(a.role()))
                .map(Layout.Planned::id)
                .toList();
        if (!shape.separate()) {
            return Map.of(Layout.EMBEDDED, ids);
        }
        return ids.stream().collect(Collectors.toMap(id -> id, List::of, (a, _) -> a, LinkedHashMap::new));
    }

    private ClusterFile describe(ClusterConfig config, List<NodeConfig> configs, List<NodeProcess> processes) {
        var stamps = processes.stream().collect(Collectors.toMap(NodeProcess::name, NodeProcess::stamp));
        var nodes = configs.stream().map(node -> entry(node, stamps)).toList();
        var endpoint = nodes.stream()
                .filter(node -> node.role() == NodeRole.PROXY)
                .findFirst()
                .orElseThrow()
                .url();
        var here = config.http().tls() ? endpoint : AnyAddress.named(endpoint, "127.0.0.1");
        var shape = config.cluster();
        var started = new ClusterFile.Started(
                shape.proxies(),
                shape.targets(),
                shape.drives(),
                shape.host(),
                shape.port(),
                shape.separate(),
                config.auth().enabled());
        return new ClusterFile(
                here,
                here,
                config.auth().accessKey(),
                config.auth().secretKey(),
                configs.getFirst().http().tlsCertificate(),
                started,
                nodes);
    }

    private ClusterFile.Node entry(NodeConfig config, Map<String, ProcessStamp> stamps) {
        var id = config.node().id();
        var stamp = Optional.ofNullable(stamps.get(id))
                .or(() -> Optional.ofNullable(stamps.get(Layout.EMBEDDED)))
                .orElseThrow();
        return new ClusterFile.Node(
                id,
                config.node().role(),
                stamp.pid(),
                stamp.started(),
                config.node().url(),
                config.drives().paths(),
                config.log().path(),
                layout.nodeConfig(id).toString());
    }
}
