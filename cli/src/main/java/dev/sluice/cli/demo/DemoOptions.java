package dev.sluice.cli.demo;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// What the user asked the demo to do. Without a folder, an endpoint or a cloud the demo makes its own.
public record DemoOptions(
        Optional<Path> dir,
        Optional<URI> endpoint,
        Optional<URI> s3,
        Duration latency,
        long bytesPerSecond,
        DataSet dataSet,
        int workers,
        int warmEpochs,
        long seed) {
    public DemoOptions {
        if (workers < 1) {
            throw new IllegalArgumentException("at least one worker has to read");
        }
    }

    /// How large a data set.
    public record DataSet(int shards, int samplesPerShard) {}
}
