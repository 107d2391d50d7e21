package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.access.BackendRules;
import dev.sluice.backend.clouds.Backends;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.peer.BackendCheck;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.ConcurrentHashMap;

/// The clouds behind this target's buckets, each opened when first needed. Buckets with the same address share one.
public final class BucketBackends implements AutoCloseable {
    private final Opener opener;
    private final MeterRegistry meters;
    private final int maxConnections;
    private final ConcurrentHashMap<BackendSpec, Backend> open = new ConcurrentHashMap<>();

    /// Makes no request yet; says by an IllegalArgumentException why a bucket may not have this backend.
    @FunctionalInterface
    public interface Opener {
        Backend open(BackendSpec spec, MeterRegistry meters);
    }

    /// @param rules of this target's own configuration, whatever the node thought that made the bucket
    public BucketBackends(BackendRules rules, BackendSettings settings, MeterRegistry meters) {
        this(
                (spec, registry) -> Backends.open(rules.connection(spec), settings, registry),
                meters,
                settings.maxConnections());
    }

    public BucketBackends(Opener opener, MeterRegistry meters) {
        this(opener, meters, BackendSettings.DEFAULT.maxConnections());
    }

    private BucketBackends(Opener opener, MeterRegistry meters, int maxConnections) {
        this.opener = opener;
        this.meters = meters;
        this.maxConnections = maxConnections;
    }

    /// To one cloud.
    public int maxConnections() {
        return maxConnections;
    }

    /// @throws StoreException.BackendDenied when this target's configuration does not let the bucket reach its cloud
    public Backend of(Bucket bucket) {
        var spec = bucket.properties()
                .backend()
                .orElseThrow(() -> new IllegalArgumentException(bucket.name() + " has no backend"));
        try {
            return open.computeIfAbsent(spec, absent -> opener.open(absent, meters));
        } catch (IllegalArgumentException e) {
            var denied = new StoreException.BackendDenied("%s is not asked: %s".formatted(spec.url(), e.getMessage()));
            denied.initCause(e);
            throw denied;
        }
    }

    /// Asks a cloud bucket, by a connection of its own; keeps nothing of it.
    public BackendCheck check(BackendSpec spec) {
        try (var backend = opener.open(spec, new SimpleMeterRegistry())) {
            return check(backend);
        } catch (StoreException | IllegalArgumentException e) {
            var why = "%s is not asked: %s".formatted(spec.url(), e.getMessage());
            return wantsCredentials(e) ? BackendCheck.refused(why) : BackendCheck.failed(why);
        }
    }

    private static BackendCheck check(Backend backend) {
        try {
            backend.list("", "", "", 1);
            return BackendCheck.passed();
        } catch (StoreException e) {
            var why = "%s; it was asked with %s".formatted(e.getMessage(), backend.identity());
            return wantsCredentials(e) ? BackendCheck.refused(why) : BackendCheck.failed(why);
        }
    }

    private static boolean wantsCredentials(RuntimeException failure) {
        return failure instanceof StoreException.BackendDenied denied && denied.wantsCredentials();
    }

    @Override
    public void close() {
        open.values().forEach(Backend::close);
    }
}
