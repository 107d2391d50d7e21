package dev.sluice.targetnode.quota;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.BucketBytes;
import dev.sluice.targetnode.storage.eviction.QuotaExcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which writes a bucket's quota leaves room for, and which copies of a cached bucket are too many.
///
/// What a bucket takes is the sum of what its objects and unfinished uploads take on this target's drives, which is
/// exact, of what writes under way here may add to all replicas, and of what the other targets said of theirs. They are
/// asked once a second while there are quotas.
public final class Quotas implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Quotas.class);
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final Duration CALL = Duration.ofSeconds(2);
    private static final double LOW_MARK = 0.9;

    private final BucketBytes here;
    private final ClusterViews views;
    private final OtherTargets others;
    private final Map<Long, Account> accounts = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();
    private final ScheduledExecutorService rounds = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("quotas").factory());

    Quotas(BucketBytes here, ClusterViews views, OtherTargets others) {
        this.here = here;
        this.views = views;
        this.others = others;
    }

    /// Begins to ask the other targets.
    public static Quotas start(NodeId self, BucketBytes here, ClusterViews views, PeerClient peers) {
        var others = new OtherTargets(
                self,
                () -> views.current().state().map().nodes().values(),
                (target, buckets) -> usage(peers, target, buckets));
        var quotas = new Quotas(here, views, others);
        var _ = quotas.rounds.scheduleWithFixedDelay(quotas::round, 0, ROUND.toMillis(), TimeUnit.MILLISECONDS);
        return quotas;
    }

    private static List<BucketUsage> usage(PeerClient peers, Node target, List<Long> buckets) {
        var answer = peers.post(PeerAddress.of(target), PeerPaths.USAGE, "", ClusterJson.write(buckets), CALL);
        try {
            return List.of(ClusterJson.read(answer, BucketUsage[].class));
        } catch (IOException e) {
            throw new StoreException.Unavailable("invalid response from %s: %s".formatted(target.id(), e.getMessage()));
        }
    }

    /// One after the other: what ends while the others are asked counts until they are asked once more.
    synchronized void round() {
        try {
            var limited = limited();
            if (!limited.isEmpty()) {
                others.ask(limited.stream().map(Bucket::id).toList());
                accounts.values().forEach(Account::heard);
            }
        } catch (StoreException e) {
            LOG.debug("the other targets are asked later: {}", e.getMessage());
        } catch (RuntimeException bug) {
            LOG.error("asking the other targets what buckets take", bug); // the next round is to come all the same
        }
    }

    private List<Bucket> limited() {
        return views.current().state().buckets().buckets().values().stream()
                .filter(bucket -> bucket.properties().quota().isPresent())
                .toList();
    }

    /// What these buckets take here, for others.
    public List<BucketUsage> usage(List<Long> bucketIds) {
        return bucketIds.stream()
                .map(id -> {
                    var usage = here.of(id);
                    long reserved = Optional.ofNullable(accounts.get(id))
                            .map(Account::reserved)
                            .orElse(0L);
                    return new BucketUsage(id, usage.objects(), usage.bytes(), usage.uploading(), reserved);
                })
                .toList();
    }

    // ---- writes

    /// How many bytes more a bucket has when this becomes the object, copies counted; negative when it shrinks. Blocks.
    ///
    /// @throws StoreException.Unavailable when this target may not answer for the key now
    public long growth(Bucket bucket, String key, long size) {
        var known = now(bucket);
        var properties = known.properties();
        if (properties.replicas() > 1) {
            return properties.taken(Math.max(0, size)) - properties.taken(here.ofReplica(BucketRefs.of(known), key));
        }
        int copies = Math.min(properties.localCopies(), here.drives());
        return Math.max(0, size) * copies - here.of(bucket.id(), key);
    }

    /// Room for a write whose bytes are yet to come.
    ///
    /// @param growth by a write of a size; asked only where there is a quota
    /// @throws StoreException.QuotaExceeded when the bucket has not so much left now
    public IncomingRoom reserve(Bucket bucket, long length, LongUnaryOperator growth) {
        var room = room(bucket);
        boolean reserved = false;
        try {
            var incoming = new IncomingRoom(room, length, growth);
            reserved = true;
            return incoming;
        } finally {
            if (!reserved) {
                room.close();
            }
        }
    }

    /// Room for a write whose bytes are here.
    ///
    /// @param growth asked only where there is a quota
    /// @throws StoreException.QuotaExceeded when the bucket has not so much left
    public QuotaReservation reserve(Bucket bucket, LongSupplier growth) {
        var room = room(bucket);
        room.atLeast(growth);
        return room;
    }

    /// None yet. In a bucket with a backend there is always some: its objects are the cloud's.
    private QuotaReservation room(Bucket bucket) {
        var known = now(bucket);
        if (known.backed() || known.properties().quota().isEmpty()) {
            return QuotaReservation.UNLIMITED;
        }
        if (!others.wereAsked(bucket.id())) {
            round();
        }
        return new Held(known, known.properties().quota().get());
    }

    /// As this target knows it: the caller's may be older.
    private Bucket now(Bucket bucket) {
        return views.current()
                .bucket(bucket.name())
                .filter(known -> known.id() == bucket.id())
                .orElse(bucket);
    }

    private final class Held implements QuotaReservation {
        private final Bucket bucket;
        private final long quota;
        private final Account account;
        private long held;
        private long elsewhere;

        Held(Bucket bucket, long quota) {
            this.bucket = bucket;
            this.quota = quota;
            this.account = accounts.computeIfAbsent(bucket.id(), _ -> new Account());
        }

        @Override
        public void requireFits(LongSupplier growth) {
            long more = growth.getAsLong() - held;
            long elsewhere = others.bytes(bucket.id());
            if (more > 0 && !account.hasRoomFor(more, () -> taken(elsewhere), quota)) {
                throw exceeded(more, elsewhere);
            }
        }

        private long taken(long elsewhere) {
            return here.of(bucket.id()).allBytes() + elsewhere;
        }

        @Override
        public void atLeast(LongSupplier growth) {
            long more = growth.getAsLong() - held;
            if (more <= 0) {
                return;
            }
            long elsewhere = others.bytes(bucket.id());
            if (!account.reserve(more, () -> taken(elsewhere), quota)) {
                throw exceeded(more, elsewhere);
            }
            held += more;
        }

        @Override
        public <T> T storing(long size, Supplier<T> commit) {
            boolean mayBeStored = true;
            try {
                return commit.get();
            } catch (StoreException failure) {
                mayBeStored = failure instanceof StoreException.Unavailable;
                throw failure;
            } finally {
                elsewhere = mayBeStored ? bucket.properties().takenElsewhere(size) : 0;
            }
        }

        private StoreException.QuotaExceeded exceeded(long more, long elsewhere) {
            refused.increment();
            var usage = here.of(bucket.id());
            return new StoreException.QuotaExceeded(
                    ("The bucket %s would exceed its quota of %d bytes: %d are taken, %d of them by unfinished uploads"
                                    + " and writes under way, and this write needs %d more. Delete objects or"
                                    + " unfinished uploads, or raise the quota (sluice bucket set %s --quota SIZE)")
                            .formatted(
                                    bucket.name(),
                                    quota,
                                    usage.allBytes() + account.counted() + elsewhere,
                                    usage.uploading() + account.counted(),
                                    more,
                                    bucket.name()));
        }

        @Override
        public void close() {
            account.release(held, elsewhere);
            held = 0;
            elsewhere = 0;
        }
    }

    /// How many writes were refused since the start.
    public long refused() {
        return refused.sum();
    }

    // ---- copies of a cloud's objects

    /// How many bytes a cached bucket takes before its objects are evicted for its quota, with some left for what other
    /// targets fetch at the same time.
    public long beforeEviction(Bucket bucket) {
        var quota = now(bucket).properties().quota();
        if (quota.isEmpty()) {
            return Long.MAX_VALUE;
        }
        if (!others.wereAsked(bucket.id())) {
            round();
        }
        return (long) (LOW_MARK * quota.get()) - here.of(bucket.id()).allBytes() - others.bytes(bucket.id());
    }

    /// The cached buckets that take more than their quota, and how much of what they have here is to stay.
    public List<QuotaExcess> tooLarge() {
        var trims = new ArrayList<QuotaExcess>();
        for (var bucket : limited()) {
            if (bucket.backed() && others.wereAsked(bucket.id())) {
                long quota = bucket.properties().quota().orElseThrow();
                long heardAt = others.heardAt();
                long taken = here.of(bucket.id()).allBytes() + others.bytes(bucket.id());
                if (taken > quota) {
                    trims.add(new QuotaExcess(BucketRefs.of(bucket), LOW_MARK * quota / taken, heardAt));
                }
            }
        }
        return trims;
    }

    @Override
    public void close() {
        rounds.shutdownNow();
    }
}
