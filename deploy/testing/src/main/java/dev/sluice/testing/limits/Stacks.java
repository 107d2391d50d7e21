package dev.sluice.testing.limits;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.sluice.testing.Notes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What each thread of a test's JVMs is at, in files beside Surefire's reports: `stuck-PID.txt` says what did not end
/// and which other files there are.
final class Stacks {
    /// For each JVM: one that was stopped never answers.
    private static final int PATIENCE_SECONDS = 10;

    private Stacks() {}

    /// @param message what did not end
    /// @param others processes of the tests; those that are no JVMs are only named
    static void write(String message, List<ProcessHandle> others) {
        long pid = ProcessHandle.current().pid();
        var report = new StringBuilder(message).append('\n');
        try {
            Files.createDirectories(Notes.REPORTS);
            var own =
                    Notes.REPORTS.resolve("stuck-%d-threads.txt".formatted(pid)).toAbsolutePath();
            Files.deleteIfExists(own);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(own.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
            report.append("threads of the tests' JVM: ").append(own).append('\n');
            for (var other : others) {
                report.append(child(pid, other)).append('\n');
            }
            Files.writeString(Notes.REPORTS.resolve("stuck-%d.txt".formatted(pid)), report);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String child(long pid, ProcessHandle process) throws IOException {
        var command = process.info().command().orElse("unknown program");
        // the main class and its arguments come last
        var arguments = String.join(" ", process.info().arguments().orElse(new String[0]));
        var line = "process %d, %s … %s"
                .formatted(process.pid(), command, arguments.substring(Math.max(0, arguments.length() - 150)));
        if (!command.endsWith("/java")) {
            return line;
        }
        var file = Notes.REPORTS
                .resolve("stuck-%d-process-%d.txt".formatted(pid, process.pid()))
                .toAbsolutePath();
        var jstack = Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
        var dump = new ProcessBuilder(jstack, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(file.toFile())
                .start();
        try {
            if (!dump.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                dump.destroyForcibly();
                return line + ": gives no stacks within " + PATIENCE_SECONDS + " s";
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        return line + ": " + file;
    }
}
