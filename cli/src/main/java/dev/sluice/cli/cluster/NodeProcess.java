package dev.sluice.cli.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.JvmCommand;
import dev.sluice.cli.process.JvmMemory;
import dev.sluice.cli.process.LastWords;
import dev.sluice.cli.process.ProcessStamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// One JVM of nodes, seen from the command that starts it. They talk through files in `DIR/run`: NAME.json (who it is,
/// written here), NAME.ready and NAME.refused (written by the process).
record NodeProcess(Layout layout, String name, Process process, ProcessStamp stamp, Path log) {
    private static final JsonMapper JSON = new JsonMapper();

    /// @param onMachine how many nodes the cluster has here, in all its processes
    static NodeProcess start(Layout layout, JvmCommand jvm, String name, List<String> ids, int onMachine, Path log)
            throws IOException {
        Files.deleteIfExists(ready(layout, name));
        Files.deleteIfExists(refused(layout, name));
        var arguments = new ArrayList<>(List.of("run", "--dir", layout.dir().toString(), "--name", name));
        for (var id : ids) {
            arguments.addAll(List.of("--config", layout.nodeConfig(id).toString()));
        }
        PrivateFiles.create(console(layout, name));
        var process = jvm.with(JvmMemory.ofThisMachine(ids.size(), onMachine))
                .startDetached(arguments, console(layout, name).toFile());
        var stamp = ProcessStamp.of(process.pid()).orElseThrow(() -> {
            process.destroyForcibly();
            return CommandFailure.failed(name + " ended at once: " + reason(layout, name, log));
        });
        PrivateFiles.write(layout.runs().resolve(name + ".json"), JSON.writeValueAsString(stamp));
        return new NodeProcess(layout, name, process, stamp, log);
    }

    /// Waits until the nodes of all are ready; fails with the reason as soon as one refuses or ends.
    static void awaitReady(List<NodeProcess> processes, Duration longest) throws InterruptedException {
        var end = System.nanoTime() + longest.toNanos();
        while (!processes.stream().allMatch(NodeProcess::isReady)) {
            for (var each : processes) {
                if (each.process.waitFor(5, TimeUnit.MILLISECONDS)) {
                    var reason = each.name + " did not start: " + each.reason();
                    throw each.process.exitValue() == CommandFailure.REFUSED
                            ? CommandFailure.refused(reason)
                            : CommandFailure.failed(reason);
                }
            }
            if (System.nanoTime() > end) {
                var late = processes.stream().filter(each -> !each.isReady()).toList();
                throw CommandFailure.failed("%s not ready after %d s: %s"
                        .formatted(
                                late.stream().map(NodeProcess::name).toList(),
                                longest.toSeconds(),
                                late.getFirst().lastWords()));
            }
        }
    }

    private boolean isReady() {
        return Files.exists(ready(layout, name));
    }

    private String lastWords() {
        return LastWords.sofar(List.of(refused(layout, name), log, console(layout, name)))
                .orElse("it said nothing");
    }

    private String reason() {
        return reason(layout, name, log);
    }

    static Path ready(Layout layout, String name) {
        return layout.runs().resolve(name + ".ready");
    }

    static Path refused(Layout layout, String name) {
        return layout.runs().resolve(name + ".refused");
    }

    /// What the JVM itself prints: warnings, and the last words of a crash.
    static Path console(Layout layout, String name) {
        return layout.logs().resolve(name + ".out");
    }

    /// The processes that `DIR/run` names and that are still there.
    static List<ProcessStamp> alive(Layout layout) {
        var found = new ArrayList<ProcessStamp>();
        if (!Files.isDirectory(layout.runs())) {
            return found;
        }
        try (var files = Files.newDirectoryStream(layout.runs(), "*.json")) {
            for (var file : files) {
                read(file).filter(ProcessStamp::alive).ifPresent(found::add);
            }
        } catch (IOException unreadable) {
            throw CommandFailure.failed(layout.runs() + " cannot be read: " + unreadable.getMessage());
        }
        return found;
    }

    /// A half-written file names nobody: its process was started by a command that died that moment.
    private static Optional<ProcessStamp> read(Path file) throws IOException {
        try {
            return Optional.of(JSON.readValue(Files.readString(file), ProcessStamp.class));
        } catch (JsonProcessingException cut) {
            return Optional.empty();
        }
    }

    private static String reason(Layout layout, String name, Path log) {
        return LastWords.of(List.of(refused(layout, name), log, console(layout, name)))
                .orElse("it left no reason");
    }
}
