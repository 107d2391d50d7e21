package dev.sluice.testing.limits;

import dev.sluice.testing.Mounts;
import dev.sluice.testing.Notes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestIdentifier;

/// Processes that tests of one fork started, however deep, and what they mounted. Surefire gives each fork a variable
/// that all processes inherit, also those that a JVM left behind when it was killed.
final class Leftovers {
    /// Which module and fork a process belongs to.
    private static final String FORK = "SLUICE_TEST_FORK";

    /// Its value says why a process may outlive the class that started it.
    private static final String SHARED = "SLUICE_TEST_SHARED";

    private static final int PATIENCE_SECONDS = 20;

    private final Optional<String> fork;
    private final Map<String, Set<ProcessHandle>> before = new HashMap<>();

    private Leftovers(Optional<String> fork) {
        this.fork = fork;
    }

    static Leftovers ofThisFork() {
        return new Leftovers(Optional.ofNullable(System.getenv(FORK)));
    }

    synchronized void classBegins(TestIdentifier container) {
        if (isClass(container)) {
            before.put(container.getUniqueId(), Set.copyOf(processes()));
        }
    }

    /// Ends what it left, and says so.
    synchronized void classEnded(TestIdentifier container) {
        var earlier = before.remove(container.getUniqueId());
        if (earlier != null) {
            var left = processes().stream()
                    .filter(process -> !earlier.contains(process))
                    .filter(process -> variable(process, SHARED).isEmpty())
                    .toList();
            end(left, container.getDisplayName());
            Mounts.endAll();
        }
    }

    /// All processes of this fork but itself and the shells around it.
    List<ProcessHandle> processes() {
        if (fork.isEmpty()) {
            return List.of();
        }
        var own = Stream.iterate(
                        Optional.of(ProcessHandle.current()),
                        Optional::isPresent,
                        each -> each.flatMap(ProcessHandle::parent))
                .map(Optional::orElseThrow)
                .collect(Collectors.toSet());
        return ProcessHandle.allProcesses()
                .filter(process -> !own.contains(process))
                .filter(process -> variable(process, FORK).equals(fork))
                .toList();
    }

    /// @param from what left them
    void endAll(String from) {
        end(processes(), from);
        Mounts.endAll();
    }

    private static void end(List<ProcessHandle> processes, String from) {
        for (var process : processes) {
            var command = process.info().commandLine().orElse("unknown program");
            if (process.destroyForcibly()) {
                Notes.add("%s left process %d running, killed: %s".formatted(from, process.pid(), shortened(command)));
            }
        }
        var ended = processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(ended).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | TimeoutException alive) {
            Notes.add("processes that %s left do not end: %s".formatted(from, alive));
        }
    }

    private static String shortened(String text) {
        return text.length() <= 200 ? text : text.substring(0, 100) + " … " + text.substring(text.length() - 100);
    }

    /// Nested classes end with the one around them.
    private static boolean isClass(TestIdentifier container) {
        return container
                .getSource()
                .filter(source -> source instanceof ClassSource type
                        && !type.getJavaClass().isMemberClass())
                .isPresent();
    }

    /// A variable of another process, as it was started; empty also when the process is gone or another user's.
    private static Optional<String> variable(ProcessHandle process, String name) {
        try {
            var all = Files.readString(
                    Path.of("/proc", Long.toString(process.pid()), "environ"), StandardCharsets.ISO_8859_1);
            return Arrays.stream(all.split("\0", -1))
                    .filter(each -> each.startsWith(name + "="))
                    .map(each -> each.substring(name.length() + 1))
                    .findFirst();
        } catch (IOException goneOrForeign) {
            return Optional.empty();
        }
    }
}
