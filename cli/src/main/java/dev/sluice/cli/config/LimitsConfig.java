package dev.sluice.cli.config;

import dev.sluice.cli.config.value.ByteSize;
import dev.sluice.cli.config.value.Checks;
import dev.sluice.cli.config.value.TimeSpan;

/// `[limits]`: what one node admits, at the same time and of one request. A `bodyMemory` of 0 is a third of the direct
/// memory, a `backendRate` of 0 no limit. A `lifecycleDay` that is not 24 hours is for tests.
public record LimitsConfig(
        int connections,
        ByteSize bodyMemory,
        ByteSize headerSize,
        int backendRequests,
        int backendRate,
        ByteSize objectSize,
        TimeSpan lifecycleInterval,
        TimeSpan lifecycleDay) {
    private static final long LEAST_BODY_MEMORY = 1 << 20;

    /// Records of larger objects would not fit into a message between replicas.
    private static final ByteSize LARGEST_OBJECT = ByteSize.parse("5TiB");

    public static final LimitsConfig DEFAULTS = new LimitsConfig(
            10_000,
            new ByteSize(0),
            ByteSize.parse("16KiB"),
            64,
            0,
            LARGEST_OBJECT,
            TimeSpan.parse("1h"),
            TimeSpan.parse("24h"));

    public LimitsConfig {
        Checks.atLeast("limits.connections", connections, 1);
        if (bodyMemory.bytes() != 0 && bodyMemory.bytes() < LEAST_BODY_MEMORY) {
            throw new IllegalArgumentException("limits.body_memory must be 0 or at least 1MiB, not " + bodyMemory);
        }
        Checks.atLeast("limits.backend_requests", backendRequests, 1);
        Checks.atLeast("limits.backend_rate", backendRate, 0);
        if (objectSize.bytes() > LARGEST_OBJECT.bytes()) {
            throw new IllegalArgumentException(
                    "limits.object_size must be at most %s, not %s".formatted(LARGEST_OBJECT, objectSize));
        }
        Checks.between("limits.lifecycle_interval", lifecycleInterval, TimeSpan.parse("100ms"), TimeSpan.parse("24h"));
        Checks.between("limits.lifecycle_day", lifecycleDay, TimeSpan.parse("100ms"), TimeSpan.parse("24h"));
    }
}
