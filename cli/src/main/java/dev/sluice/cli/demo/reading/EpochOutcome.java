package dev.sluice.cli.demo.reading;

import dev.sluice.cli.demo.reading.ShardRead.RecordCounts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// One pass over the whole data set: every shard's reading, and how long all took.
public record EpochOutcome(List<ShardRead> shards, Duration elapsed) {
    private static final double NANOS = 1e9;

    public EpochOutcome {
        shards = List.copyOf(shards);
    }

    public RecordCounts records() {
        return shards.stream().map(ShardRead::records).reduce(RecordCounts.NONE, RecordCounts::plus);
    }

    /// Records that came, right or wrong.
    public long samples() {
        return records().right() + records().wrong();
    }

    public long bytes() {
        return shards.stream().mapToLong(ShardRead::bytes).sum();
    }

    public List<String> failures() {
        return shards.stream().map(ShardRead::failure).flatMap(Optional::stream).toList();
    }

    public double samplesPerSecond() {
        return samples() * NANOS / elapsed.toNanos();
    }

    /// In millions of bytes, as network speeds are given.
    public double megabytesPerSecond() {
        return bytes() * NANOS / elapsed.toNanos() / 1e6;
    }
}
