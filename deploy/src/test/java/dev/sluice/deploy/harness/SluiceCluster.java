package dev.sluice.deploy.harness;

import dev.sluice.cli.Sluice;
import dev.sluice.cli.command.Installation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/// A cluster started by `./sluice up`, seen through `cluster.json`, its ports and its files alone.
public final class SluiceCluster implements AutoCloseable {
    /// The first use builds what is stale, on a machine that may be busy with other things.
    private static final Duration UP = Duration.ofMinutes(6);

    private static final Duration COMMAND = Duration.ofMinutes(2);

    /// Two that start at once would take both cores from each other.
    private static final Lock STARTING = new ReentrantLock(true);

    private static final int TAIL = 4000;

    private final Path dir;
    private final Map<String, String> environment;
    private final List<String> options;
    private final Thread atExit = new Thread(this::downQuietly);
    private volatile ClusterFile file;

    private SluiceCluster(Path dir, Map<String, String> environment, List<String> options) {
        this.dir = dir;
        this.environment = environment;
        this.options = options;
        Runtime.getRuntime().addShutdownHook(atExit);
        this.file = up();
    }

    /// Drives are checked once a second unless the folder has settings of its own, or the options name some.
    ///
    /// @param environment added to the nodes' own
    /// @param options for `up`, besides the folder and the port
    public static SluiceCluster start(Path dir, Map<String, String> environment, String... options) {
        TestedBuild.prepareStart();
        var all = new ArrayList<>(List.of("--port", Integer.toString(FreePorts.base())));
        all.addAll(List.of(options));
        var clean = new HashMap<>(environment);
        clean.put("AWS_EC2_METADATA_DISABLED", "true");
        var settings = dir.resolve("sluice.toml");
        if (!all.contains("--config") && !Files.exists(settings)) {
            write(settings, "[storage]\nhealth_check_interval = \"1s\"\n");
        }
        return new SluiceCluster(dir, clean, all);
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// `up` with the same options as before: the same cluster comes back.
    public ClusterFile up() {
        var command = new ArrayList<>(List.of("up", "--dir", dir.toString()));
        command.addAll(options);
        STARTING.lock();
        try {
            Finished.run(UP, environment, sluice(command)).orFail(lastWords());
        } finally {
            STARTING.unlock();
        }
        file = ClusterFile.read(dir);
        return file;
    }

    public void down() {
        run("down");
    }

    /// `node kill|start|stop ID`
    public void node(String what, String id) {
        run("node", what, id);
        file = ClusterFile.read(dir);
    }

    private long pid(String id) {
        return nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow()
                .pid();
    }

    /// From now on the node stands still, with its connections open.
    public void freeze(String id) {
        Finished.run(COMMAND, Map.of(), List.of("kill", "-STOP", Long.toString(pid(id))))
                .orFail("");
    }

    public void thaw(String id) {
        Finished.run(COMMAND, Map.of(), List.of("kill", "-CONT", Long.toString(pid(id))))
                .orFail("");
    }

    /// SIGKILL, this very moment.
    public void kill(String id) {
        long pid = pid(id);
        var process = ProcessHandle.of(pid).orElseThrow(() -> new IllegalStateException(id + " does not run"));
        process.destroyForcibly();
        process.onExit().orTimeout(COMMAND.toSeconds(), TimeUnit.SECONDS).join();
    }

    /// A command about this cluster.
    public Finished run(String... arguments) {
        return attempt(Map.of(), arguments).orFail(lastWords());
    }

    /// A command that may fail. One that starts no node runs in this JVM: a JVM of its own would cost a second of
    /// both cores.
    ///
    /// @param more variables besides the nodes' own
    public Finished attempt(Map<String, String> more, String... arguments) {
        var command = new ArrayList<>(List.of(arguments));
        command.addAll(List.of("--dir", dir.toString()));
        var all = new HashMap<>(environment);
        all.putAll(more);
        return startsNode(command) ? Finished.run(COMMAND, all, sluice(command)) : inThisJvm(all, command);
    }

    /// A command about files, and no cluster. It may fail.
    public Finished offline(String... arguments) {
        return Finished.run(COMMAND, environment, sluice(List.of(arguments)));
    }

    private static boolean startsNode(List<String> command) {
        return command.getFirst().equals("up") || command.subList(0, 2).equals(List.of("node", "start"));
    }

    private static Finished inThisJvm(Map<String, String> more, List<String> command) {
        var all = new HashMap<>(System.getenv());
        all.putAll(TestedBuild.ENVIRONMENT);
        all.putAll(more);
        var out = new StringWriter();
        var err = new StringWriter();
        int exit = Sluice.run(
                Installation.ofLauncher(Sluice.class, all),
                new PrintWriter(out),
                new PrintWriter(err),
                command.toArray(String[]::new));
        return new Finished(command, exit, inLatin1(out), inLatin1(err));
    }

    private static String inLatin1(StringWriter text) {
        return new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static List<String> sluice(List<String> arguments) {
        var command =
                new ArrayList<>(List.of(Repository.root().resolve("sluice").toString()));
        command.addAll(arguments);
        return command;
    }

    public Endpoint endpoint() {
        return new Endpoint(file.s3Endpoint(), file.accessKey(), file.secretKey());
    }

    public List<ClusterNode> nodes() {
        return file.nodes();
    }

    public List<ClusterNode> targets() {
        return nodes().stream().filter(ClusterNode::target).toList();
    }

    /// The folders of a target's drives.
    public List<Path> drives(ClusterNode target) {
        return target.drives().stream().map(dir::resolve).toList();
    }

    /// Files that are not finished objects, on any drive.
    public List<Path> workFiles() {
        return targets().stream()
                .flatMap(target -> target.drives().stream())
                .flatMap(drive -> filesUnder(dir.resolve(drive).resolve(".sluice/work")).stream())
                .toList();
    }

    /// Finished files of a bucket under their own keys, on any drive.
    public List<Path> objectFiles(String bucket) {
        return targets().stream()
                .flatMap(target -> target.drives().stream())
                .flatMap(drive ->
                        filesUnder(dir.resolve(drive).resolve("objects").resolve(bucket)).stream())
                .toList();
    }

    private static List<Path> filesUnder(Path folder) {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// All that one node has logged.
    public String log(String id) {
        try {
            return Files.readString(dir.resolve("log").resolve(id + ".log"), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The ends of all logs: what a failure's reader wants to see.
    public String lastWords() {
        try (var files = Files.list(dir.resolve("log"))) {
            return files.sorted().map(SluiceCluster::tail).collect(Collectors.joining("\n"));
        } catch (IOException | UncheckedIOException e) {
            return "no logs: " + e;
        }
    }

    private static String tail(Path log) {
        try {
            var text = Files.readString(log, StandardCharsets.UTF_8);
            return "--- " + log + "\n" + text.substring(Math.max(0, text.length() - TAIL));
        } catch (IOException e) {
            return "--- " + log + ": " + e;
        }
    }

    private void downQuietly() {
        Finished.run(COMMAND, environment, sluice(List.of("down", "--dir", dir.toString())));
    }

    @Override
    public void close() {
        down();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
