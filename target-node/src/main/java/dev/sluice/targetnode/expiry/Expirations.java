package dev.sluice.targetnode.expiry;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.ExpiryStatus;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.pace.RateLimiter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets the objects of this target expire: each hour or so it looks at all keys that it is the primary of in buckets
/// where objects expire. It keeps nothing: after a failover the new primary's next pass finds what is left.
public final class Expirations implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Expirations.class);

    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ObjectStore store;
    private final ClusterViews views;
    private final BucketWriteGate writes;
    private final ClockCheck clocks;
    private final InstantSource clock;
    private final ExpirySettings settings;
    private final RateLimiter pace;
    private final Map<Long, ExpiryStatus> statuses = new ConcurrentHashMap<>();
    private final AtomicLong deleted = new AtomicLong();
    private final ScheduledExecutorService schedule = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("expiry").factory());
    private volatile boolean closed;

    public Expirations(
            ObjectStore store,
            ClusterViews views,
            BucketWriteGate writes,
            ClockCheck clocks,
            InstantSource clock,
            ExpirySettings settings) {
        this.store = store;
        this.views = views;
        this.writes = writes;
        this.clocks = clocks;
        this.clock = clock;
        this.settings = settings;
        this.pace = new RateLimiter(Clock.SYSTEM, () -> store.waiting(0));
    }

    /// @param ready whether this target serves; a pass that comes before that is left out
    public void start(BooleanSupplier ready) {
        long millis = settings.interval().toMillis();
        var _ = schedule.scheduleWithFixedDelay(
                () -> {
                    try {
                        if (ready.getAsBoolean()) {
                            passes();
                        }
                    } catch (RuntimeException | Error failure) { // or no pass would ever begin again
                        LOG.error("no expired objects are deleted now", failure);
                    }
                },
                Math.min(millis, FIRST.toMillis()),
                millis,
                TimeUnit.MILLISECONDS);
    }

    /// A pass over each bucket where objects expire. Blocks.
    void passes() {
        var buckets = buckets();
        statuses.keySet().retainAll(buckets.stream().map(Bucket::id).collect(Collectors.toSet()));
        if (buckets.isEmpty()) {
            return;
        }
        for (var bucket : buckets) {
            if (closed) {
                return;
            }
            var problem = clocks.problem(); // a pass may take hours
            if (problem.isPresent()) {
                LOG.warn("bucket {}: no expired objects are deleted now: {}", bucket.name(), problem.get());
                note(bucket, before -> withProblem(before, problem.get()));
            } else {
                pass(bucket);
            }
        }
    }

    private List<Bucket> buckets() {
        var view = views.current();
        return view.state().buckets().buckets().values().stream()
                .filter(bucket -> !bucket.deleting() && view.rules(bucket).letExpire(bucket))
                .toList();
    }

    private void pass(Bucket bucket) {
        var pass = new ExpiryPass(store, views, writes, pace, settings.day(), clock.instant(), () -> !closed);
        Optional<String> problem = Optional.empty();
        try {
            pass.over(bucket);
        } catch (StoreException notNow) {
            LOG.info("bucket {}: some expired objects are deleted later: {}", bucket.name(), notNow.getMessage());
            problem = Optional.of(String.valueOf(notNow.getMessage()));
        } catch (RuntimeException bug) {
            LOG.error("bucket {}: expired objects cannot be deleted", bucket.name(), bug);
            problem = Optional.of(bug.toString());
        }
        note(bucket, pass.result(), problem);
    }

    private void note(Bucket bucket, ExpiryPass.Result result, Optional<String> problem) {
        deleted.addAndGet(result.deleted());
        note(
                bucket,
                before -> new ExpiryStatus(
                        problem.isPresent() ? before.lastMillis() : clock.millis(),
                        before.deleted() + result.deleted(),
                        result.waiting(),
                        result.failed(),
                        problem));
        if (result.deleted() + result.failed() > 0) {
            LOG.info(
                    "bucket {}: deleted {} expired objects, {} could not be deleted now",
                    bucket.name(),
                    result.deleted(),
                    result.failed());
        }
    }

    private void note(Bucket bucket, Function<ExpiryStatus, ExpiryStatus> change) {
        statuses.compute(bucket.id(), (_, before) -> change.apply(before == null ? ExpiryStatus.NONE : before));
    }

    private static ExpiryStatus withProblem(ExpiryStatus before, String problem) {
        return new ExpiryStatus(
                before.lastMillis(), before.deleted(), before.waiting(), before.failed(), Optional.of(problem));
    }

    /// Of a bucket where nothing expires, that of none.
    public ExpiryStatus status(long bucketId) {
        return statuses.getOrDefault(bucketId, ExpiryStatus.NONE);
    }

    /// Of all buckets, since the start.
    public long deleted() {
        return deleted.get();
    }

    /// Waits a little for the page of keys that is under way.
    @Override
    public void close() {
        closed = true;
        schedule.shutdownNow();
        boolean ended =
                Await.interruptible(() -> schedule.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        if (!ended) {
            LOG.warn("a pass over expired objects is still under way");
        }
    }
}
