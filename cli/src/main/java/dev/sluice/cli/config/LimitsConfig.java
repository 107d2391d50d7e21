package dev.sluice.cli.config;

/// `[limits]`: what one node admits at the same time.
public record LimitsConfig(
        int connections,
        int requests,
        ByteSize bodyMemory,
        ByteSize headerSize,
        ByteSize objectSize,
        int backendRequests) {
    public static final LimitsConfig DEFAULTS = new LimitsConfig(
            10_000, 4_096, ByteSize.parse("128MiB"), ByteSize.parse("64KiB"), ByteSize.parse("5TiB"), 64);

    public LimitsConfig {
        Checks.atLeast("limits.connections", connections, 1);
        Checks.atLeast("limits.requests", requests, 1);
        Checks.atLeast("limits.backend_requests", backendRequests, 1);
    }
}
