package dev.sluice.targetnode;

import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.access.BackendRules;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.ReplicaService;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootClock;
import dev.sluice.targetnode.admin.BucketMeters;
import dev.sluice.targetnode.admin.TargetHandlers;
import dev.sluice.targetnode.admin.TargetParts;
import dev.sluice.targetnode.admin.TargetSettings;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.BucketBackends;
import dev.sluice.targetnode.controller.files.StateDrive;
import dev.sluice.targetnode.controller.files.StateDrives;
import dev.sluice.targetnode.expiry.ClockCheck;
import dev.sluice.targetnode.expiry.Expirations;
import dev.sluice.targetnode.expiry.ExpirySettings;
import dev.sluice.targetnode.quota.EvictedBuckets;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.replica.ReplicationMeters;
import dev.sluice.targetnode.replica.Replicator;
import dev.sluice.targetnode.storage.DriveMeters;
import dev.sluice.targetnode.storage.DriveStats;
import dev.sluice.targetnode.storage.EvictionMeters;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.StoreConfig;
import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.attach.DriveSet;
import dev.sluice.targetnode.storage.hotset.HotSetMeters;
import dev.sluice.targetnode.storage.scrub.ScrubMeters;
import dev.sluice.targetnode.storage.spread.Member;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One target, composed: its drives, and the handlers over them. The composition root of this module.
public final class TargetNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TargetNode.class);
    private static final Duration RESULTS_KEPT = Duration.ofHours(24);
    private static final Duration UPLOADS_KEPT = Duration.ofDays(7);
    private static final Duration FIRST_LOOK = Duration.ofMinutes(1);

    private final ObjectStore store;
    private final BucketBackends backends;
    private final Quotas quotas;
    private final ExecutorService digests;
    private final TargetHandlers handlers;
    private final Replicator replicator;
    private final ScheduledExecutorService housekeeping;

    private TargetNode(
            ObjectStore store,
            BucketBackends backends,
            Quotas quotas,
            ExecutorService digests,
            TargetHandlers handlers,
            Replicator replicator,
            ScheduledExecutorService housekeeping) {
        this.store = store;
        this.backends = backends;
        this.quotas = quotas;
        this.digests = digests;
        this.handlers = handlers;
        this.replicator = replicator;
        this.housekeeping = housekeeping;
    }

    /// Attaches the drives.
    ///
    /// @param healthCheckInterval how often each is checked
    /// @throws IOException with one line for the operator when a drive cannot be used
    public static ObjectStore attach(StoreConfig config, Duration healthCheckInterval) throws IOException {
        return ObjectStore.open(config, healthCheckInterval);
    }

    /// @param store the attached drives, which the caller closes after this
    /// @param backendRules which clouds its buckets may reach
    public static TargetNode open(
            NodeId node,
            ObjectStore store,
            ControlPlane control,
            ClusterViews views,
            PeerClient peers,
            BackendRules backendRules,
            BackendSettings backendSettings,
            TargetSettings settings,
            MeterRegistry meters) {
        var backends = new BucketBackends(backendRules, backendSettings, meters);
        var digests = Executors.newFixedThreadPool(
                Runtime.getRuntime().availableProcessors(),
                Thread.ofPlatform().name("digest-", 0).daemon().factory());
        var quotas = Quotas.start(node, store.bucketBytes(), views, peers);
        var handlers = new TargetHandlers(
                new TargetParts(
                        node, store, control, views, peers, backends, quotas, digests, meters, InstantSource.system()),
                settings);
        HotSetMeters.register(store.hotSet(), node, meters);
        store.evict(new EvictedBuckets(views, quotas));
        var measured = ConcurrentHashMap.<String>newKeySet();
        store.follow(slots -> slots.stream()
                .map(slot -> slot.path().toString())
                .filter(measured::add)
                .forEach(path -> {
                    DriveMeters.register(store, path, node, meters);
                    ScrubMeters.register(handlers.scrubs(), path, node, meters);
                    EvictionMeters.register(store, path, node, meters);
                }));
        var bucketMeters = new BucketMeters(
                store.bucketBytes(), handlers.reads(), handlers.revalidation(), quotas, views, node, meters);
        var housekeeping = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name("housekeeping").factory());
        var removed = handlers.removedBuckets();
        removed.start();
        var _ = housekeeping.scheduleWithFixedDelay(() -> adoptCopies(store, views), 1, 5, TimeUnit.SECONDS);
        var _ = housekeeping.scheduleWithFixedDelay(bucketMeters::register, 1, 5, TimeUnit.SECONDS);
        var _ = housekeeping.scheduleWithFixedDelay(handlers.reads()::record, 1, 5, TimeUnit.SECONDS);
        var replicator = Replicator.start(node, store, control, peers, removed::dropOn, new BootClock());
        ReplicationMeters.register(replicator, node, meters);
        BooleanSupplier serves = () -> store.ready() && replicator.hasRegistered();
        long interval = settings.expiry().interval().toMillis();
        var _ = housekeeping.scheduleWithFixedDelay(
                () -> forgetOldUploads(store, views, handlers.clocks(), settings.expiry(), serves),
                Math.min(interval, FIRST_LOOK.toMillis()),
                interval,
                TimeUnit.MILLISECONDS);
        handlers.expirations().start(serves);
        FunctionCounter.builder("sluice.expiry.deleted", handlers.expirations(), Expirations::deleted)
                .tags("node", node.value())
                .register(meters);
        handlers.jobs().start(() -> store.ready() && replicator.hasRegistered() && handlers.mayFill());
        return new TargetNode(store, backends, quotas, digests, handlers, replicator, housekeeping);
    }

    /// So that objects get the copies they are to have also where nothing is written.
    private static void adoptCopies(ObjectStore store, ClusterViews views) {
        try {
            views.current().state().buckets().buckets().values().forEach(bucket -> store.adopt(BucketRefs.of(bucket)));
        } catch (StoreException e) {
            LOG.debug("how many copies buckets are to have is looked at later: {}", e.getMessage());
        }
    }

    /// A bucket's rules say how old they may be, or else [#UPLOADS_KEPT].
    private static void forgetOldUploads(
            ObjectStore store, ClusterViews views, ClockCheck clocks, ExpirySettings expiry, BooleanSupplier serves) {
        var now = Instant.now();
        try {
            var problem = serves.getAsBoolean() ? clocks.problem() : Optional.of("this target does not serve yet");
            if (problem.isPresent()) {
                LOG.info("old multipart uploads stay for now: {}", problem.get());
                return;
            }
            var view = views.confirmed();
            store.multipart()
                    .expire(
                            now.minus(RESULTS_KEPT),
                            upload -> view.bucket(upload.bucket().name())
                                    .filter(bucket ->
                                            bucket.id() == upload.bucket().id())
                                    .map(bucket -> view.rules(bucket)
                                            .lifecycle()
                                            .abortAfter(upload.key(), expiry.day())
                                            .orElse(UPLOADS_KEPT))
                                    .filter(kept -> Instant.ofEpochMilli(upload.createdMillis())
                                            .isBefore(now.minus(kept)))
                                    .isPresent());
        } catch (StoreException e) {
            LOG.warn("old multipart uploads stay for now: {}", e.getMessage());
        } catch (RuntimeException bug) { // or nobody would look again
            LOG.error("old multipart uploads stay for now", bug);
        }
    }

    public TargetService service() {
        return handlers;
    }

    public ReplicaService replica() {
        return replicator;
    }

    /// Whether every drive knows what it has, and the cluster knows of this process.
    public boolean ready() {
        return store.ready() && replicator.hasRegistered();
    }

    /// Whether a drive of it may answer for the slots of replicated buckets that it leads.
    public boolean leased() {
        return replicator.leased();
    }

    /// Its share of the cluster's slots: fixed when it was formed, whatever becomes of its drives.
    public static double weight(ObjectStore store) {
        return store.mountpaths().formedWeight();
    }

    /// Where a controller on this target keeps the cluster's state: on each of its drives.
    ///
    /// @param lost ids of drives that an operator declared lost
    public static StateDrives stateDrives(ObjectStore store, Set<String> lost) {
        return new StateDrives() {
            @Override
            public List<StateDrive> now() {
                return store.mountpaths().table().members().entrySet().stream()
                        .map(each -> stateDrive(each.getKey(), each.getValue()))
                        .toList();
            }

            @Override
            public Set<String> lost() {
                return lost;
            }
        };
    }

    private static StateDrive stateDrive(String id, Member member) {
        var path = Path.of(member.path());
        boolean keeps = member.isPlaced() && !member.disabled() && !member.leaving();
        return new StateDrive(id, path, keeps, () -> {
            if (!member.isPlaced()) {
                throw new DriveRefusedException("another drive took its place");
            }
            DriveSet.requireSame(id, path);
        });
    }

    public List<DriveStats> drives() {
        return store.stats();
    }

    @Override
    public void close() {
        housekeeping.shutdownNow();
        replicator.close();
        handlers.removedBuckets().close();
        quotas.close();
        handlers.close();
        backends.close();
        digests.close();
    }
}
