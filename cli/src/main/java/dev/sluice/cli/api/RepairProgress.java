package dev.sluice.cli.api;

import dev.sluice.cli.trust.Trust;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.metrics.Metrics;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/// How far repair is.
///
/// @param missingBytes how many are to be copied until all slots have their replicas, about
/// @param bytesPerSecond that are copied now
/// @param seconds until it is done at that rate; empty while nothing is copied
/// @param stuckObjects how many cannot be copied again and again: the targets' logs name them
public record RepairProgress(long missingBytes, long bytesPerSecond, Optional<Long> seconds, long stuckObjects) {
    private static final Duration BETWEEN = Duration.ofSeconds(1);

    /// Looks at nodes' metrics twice, a second apart.
    public static RepairProgress of(Collection<String> urls, Trust trust) {
        var before = NativeApi.metrics(urls, trust);
        Await.pause(BETWEEN);
        return between(before, NativeApi.metrics(urls, trust));
    }

    /// @param before metrics of the same nodes, some time ago
    public static RepairProgress between(Metrics before, Metrics now) {
        long missing = (long) now.sum("sluice_bucket_missing_bytes", _ -> true);
        long rate = (long) now.rate(before, "sluice_replica_copied_bytes_total", _ -> true);
        return new RepairProgress(missing, rate, rate == 0 ? Optional.empty() : Optional.of(missing / rate), (long)
                now.sum("sluice_replica_copying_stuck", _ -> true));
    }
}
