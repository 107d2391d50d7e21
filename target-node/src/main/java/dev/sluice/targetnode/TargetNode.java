package dev.sluice.targetnode;

import dev.sluice.backend.BackendSettings;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.placement.Candidate;
import dev.sluice.common.placement.Rendezvous;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.Refs;
import dev.sluice.targetnode.bucket.RemovedBuckets;
import dev.sluice.targetnode.coldfill.BucketBackends;
import dev.sluice.targetnode.object.ObjectHandlers;
import dev.sluice.targetnode.storage.DrivePlacement;
import dev.sluice.targetnode.storage.DriveStats;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.StoreConfig;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One target, composed: its drives, and the handlers over them. The composition root of this module.
public final class TargetNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TargetNode.class);
    private static final Duration RESULTS_KEPT = Duration.ofHours(24);
    private static final Duration UPLOADS_KEPT = Duration.ofDays(7);

    private final ObjectStore store;
    private final BucketBackends backends;
    private final ExecutorService digests;
    private final ObjectHandlers handlers;
    private final ScheduledExecutorService housekeeping;

    private TargetNode(
            ObjectStore store,
            BucketBackends backends,
            ExecutorService digests,
            ObjectHandlers handlers,
            ScheduledExecutorService housekeeping) {
        this.store = store;
        this.backends = backends;
        this.digests = digests;
        this.handlers = handlers;
        this.housekeeping = housekeeping;
    }

    /// Attaches the drives.
    ///
    /// @throws IOException with one line for the operator when a drive cannot be used
    public static ObjectStore attach(StoreConfig config) throws IOException {
        return ObjectStore.open(config, TargetNode::placement);
    }

    /// @param store the attached drives, which the caller closes after this
    public static TargetNode open(
            NodeId node,
            ObjectStore store,
            ControlPlane control,
            ClusterViews views,
            PeerClient peers,
            BackendSettings backendSettings,
            ScrubSettings scrubbing,
            MeterRegistry meters) {
        var backends = new BucketBackends(backendSettings, meters);
        var digests = Executors.newFixedThreadPool(
                Runtime.getRuntime().availableProcessors(),
                Thread.ofPlatform().name("digest-", 0).daemon().factory());
        var handlers = ObjectHandlers.compose(store, control, views, peers, backends, digests, scrubbing, node, meters);
        DriveMeters.register(store, node, meters);
        ScrubMeters.register(handlers.scrubs(), node, meters);
        store.evict(() -> Refs.cached(views.current()));
        EvictionMeters.register(store, node, meters);
        var housekeeping = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name("housekeeping").factory());
        var _ = housekeeping.scheduleWithFixedDelay(() -> forgetOldUploads(store), 1, 60, TimeUnit.MINUTES);
        var removed = new RemovedBuckets(control, handlers::drop);
        var _ = housekeeping.scheduleWithFixedDelay(removed::drop, 1, 60, TimeUnit.SECONDS);
        return new TargetNode(store, backends, digests, handlers, housekeeping);
    }

    private static void forgetOldUploads(ObjectStore store) {
        var now = Instant.now();
        try {
            store.multipart().expire(now.minus(RESULTS_KEPT), now.minus(UPLOADS_KEPT));
        } catch (StoreException e) {
            LOG.warn("old multipart uploads stay for now: {}", e.getMessage());
        }
    }

    public TargetService service() {
        return handlers;
    }

    /// Whether every drive knows what it has.
    public boolean ready() {
        return store.ready();
    }

    /// Its share of the cluster's slots.
    public static double weight(ObjectStore store) {
        return store.stats().stream().mapToDouble(DriveStats::weight).sum();
    }

    public List<DriveStats> drives() {
        return store.stats();
    }

    /// A slot lives on one drive: the first of its rendezvous ranking.
    private static DrivePlacement placement(Map<String, Long> weights) {
        var drives = weights.entrySet().stream()
                .map(entry -> new Candidate(entry.getKey(), entry.getValue()))
                .toList();
        var owners = Rendezvous.owners(drives);
        return (bucketId, key) -> drives.get(owners[Slot.of(bucketId, key)]).id();
    }

    @Override
    public void close() {
        housekeeping.shutdownNow();
        handlers.close();
        backends.close();
        digests.close();
    }
}
