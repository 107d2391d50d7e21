package dev.sluice.cli.demo.reading;

import java.time.Duration;
import java.util.Optional;

/// How the reading of one shard went: by whom, when since the epoch began, and how its records compared.
public record ShardRead(
        String key,
        int worker,
        Duration began,
        Duration firstByte,
        Duration ended,
        long bytes,
        RecordCounts records,
        Optional<String> failure) {
    /// Records by what their digest said. `missing` are in the manifest but did not come; `wrong` came, but with other
    /// bytes, twice, or without being in the manifest.
    public record RecordCounts(long right, long wrong, long missing) {
        public static final RecordCounts NONE = new RecordCounts(0, 0, 0);

        public RecordCounts plus(RecordCounts other) {
            return new RecordCounts(right + other.right, wrong + other.wrong, missing + other.missing);
        }
    }
}
