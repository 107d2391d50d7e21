package dev.sluice.cli.config;

/// `[limits]`: what one node admits, at the same time and of one request.
public record LimitsConfig(
        int connections, ByteSize bodyMemory, ByteSize headerSize, int backendRequests, ByteSize objectSize) {
    public static final LimitsConfig DEFAULTS =
            new LimitsConfig(10_000, ByteSize.parse("128MiB"), ByteSize.parse("16KiB"), 64, ByteSize.parse("5TiB"));

    public LimitsConfig {
        Checks.atLeast("limits.connections", connections, 1);
        Checks.atLeast("limits.backend_requests", backendRequests, 1);
    }
}
