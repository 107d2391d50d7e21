package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.Backends;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// The clouds behind this target's buckets, each opened when first needed. Buckets with the same address share one.
public final class BucketBackends implements AutoCloseable {
    private final Function<BackendSpec, Backend> opener;
    private final ConcurrentHashMap<BackendSpec, Backend> open = new ConcurrentHashMap<>();

    public BucketBackends(BackendSettings settings, MeterRegistry meters) {
        this(spec -> Backends.open(address(spec), settings, meters));
    }

    /// @param opener makes no request yet; says by an IllegalArgumentException what is wrong with an address
    public BucketBackends(Function<BackendSpec, Backend> opener) {
        this.opener = opener;
    }

    /// @throws StoreException.BackendUnavailable when the address or the profile cannot be used
    public Backend of(Bucket bucket) {
        var spec = bucket.properties()
                .backend()
                .orElseThrow(() -> new IllegalArgumentException(bucket.name() + " has no backend"));
        try {
            return open.computeIfAbsent(spec, opener);
        } catch (IllegalArgumentException e) {
            throw new StoreException.BackendUnavailable("cannot use " + spec.url() + ": " + e.getMessage(), e);
        }
    }

    private static BackendAddress address(BackendSpec spec) {
        var address = BackendAddress.parse(spec.url());
        var withEndpoint =
                spec.endpoint().map(URI::create).map(address::endpoint).orElse(address);
        var withRegion = spec.region().map(withEndpoint::region).orElse(withEndpoint);
        return spec.profile().map(withRegion::profile).orElse(withRegion);
    }

    @Override
    public void close() {
        open.values().forEach(Backend::close);
    }
}
