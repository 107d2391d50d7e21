package dev.sluice.cli.cluster;

import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.ProcessStamp;
import dev.sluice.cli.process.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// `sluice down`: ends the processes that `up` started, and only those; data, keys and settings stay.
public final class ClusterDown {
    /// Longer than nodes take to finish what they are doing (http.drain_timeout).
    public static final Duration GRACE = Duration.ofSeconds(30);

    private final Layout layout;

    /// How many processes ran, and which of them did not end when asked.
    public record Outcome(int stopped, List<ProcessStamp> killed) {}

    public ClusterDown(Layout layout) {
        this.layout = layout;
    }

    public Outcome down(Duration grace) {
        if (!Files.exists(layout.lock())) {
            return new Outcome(0, List.of());
        }
        try (var _ = DirLock.forCommand(layout)) {
            Set<ProcessStamp> running = new LinkedHashSet<>(NodeProcess.alive(layout));
            ClusterFile.read(layout.clusterFile())
                    .ifPresent(cluster -> cluster.processes().stream()
                            .filter(ProcessStamp::alive)
                            .forEach(running::add));
            var killed = Signals.stop(running, grace);
            Files.deleteIfExists(layout.clusterFile());
            clearRuns();
            return new Outcome(running.size(), killed);
        } catch (IOException failure) {
            throw CommandFailure.failed("the files of the stopped cluster cannot be deleted: " + Reasons.of(failure));
        }
    }

    private void clearRuns() throws IOException {
        if (Files.isDirectory(layout.runs())) {
            try (var files = Files.newDirectoryStream(layout.runs())) {
                for (var file : files) {
                    Files.delete(file);
                }
            }
        }
    }
}
