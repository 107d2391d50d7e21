package dev.sluice.backend.clouds;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.gcs.GcsBackend;
import dev.sluice.backend.s3.S3Backend;
import io.micrometer.core.instrument.MeterRegistry;

/// Opens the backend that a connection leads to.
public final class Backends {
    private Backends() {}

    /// Makes no request yet. A cloud's client is loaded by the JVM when its case is first taken, so a node without GCS
    /// buckets never loads Google's.
    public static Backend open(BackendConnection connection, BackendSettings settings, MeterRegistry registry) {
        return switch (connection.address().provider()) {
            case S3 -> S3Backend.open(connection, settings, registry);
            case GS -> GcsBackend.open(connection, settings, registry);
        };
    }
}
