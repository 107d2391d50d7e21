package dev.sluice.targetnode.expiry;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.pace.RateLimiter;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One walk over the keys of a bucket that this target is the primary of. What has expired is deleted if it still is
/// the version that was seen: of a write in between, the write counts. What cannot be deleted now is left for the
/// next pass.
final class ExpiryPass {
    private static final Logger LOG = LoggerFactory.getLogger(ExpiryPass.class);

    private static final int PAGE = 1000;

    /// Keys a second: a million in less than a minute, and most of a core left to requests.
    private static final int RATE = 25_000;

    /// Deletions at once, which are made durable together.
    private static final int AT_ONCE = 16;

    private static final ObjectVersion UNKNOWN = new ObjectVersion(0, 0);

    private final ObjectStore store;
    private final ClusterViews views;
    private final BucketWriteGate writes;
    private final RateLimiter pace;
    private final Duration day;
    private final Instant now;
    private final BooleanSupplier wanted;
    private final LongAdder deleted = new LongAdder();
    private final LongAdder waiting = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /// @param pace of all buckets together
    /// @param now by this target's clock, which was found to be right
    /// @param wanted whether it is to go on
    ExpiryPass(
            ObjectStore store,
            ClusterViews views,
            BucketWriteGate writes,
            RateLimiter pace,
            Duration day,
            Instant now,
            BooleanSupplier wanted) {
        this.store = store;
        this.views = views;
        this.writes = writes;
        this.pace = pace;
        this.day = day;
        this.now = now;
        this.wanted = wanted;
    }

    /// What it did.
    record Result(long deleted, long waiting, long failed) {}

    /// Blocks. Ends early where the bucket's rules are taken away meanwhile.
    ///
    /// @throws StoreException when the bucket's keys cannot be listed now
    void over(Bucket bucket) {
        var ref = BucketRefs.of(bucket);
        var from = "";
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            while (wanted.getAsBoolean()) {
                var lifetimes = lifetimes(bucket);
                if (lifetimes.isEmpty()) {
                    break;
                }
                pace.await(PAGE, RATE, wanted);
                var query = new ListQuery(lifetimes.get().prefix(), "", from, PAGE);
                var page = store.writer(ref).list(bucket.id(), query).entries();
                work(bucket, lifetimes.get(), page, threads);
                if (page.size() < PAGE) {
                    break;
                }
                from = KeyOrder.justAfter(page.getLast().key());
            }
        }
    }

    /// Also of one that broke off.
    Result result() {
        return new Result(deleted.sum(), waiting.sum(), failed.sum());
    }

    /// As the rules are now.
    private Optional<Lifetimes> lifetimes(Bucket bucket) {
        var view = views.current();
        return view.bucket(bucket.name())
                .filter(there -> there.id() == bucket.id() && !there.deleting())
                .map(there -> Lifetimes.of(there, view.rules(there), day))
                .filter(lifetimes -> !lifetimes.endless());
    }

    private void work(Bucket bucket, Lifetimes lifetimes, Iterable<ListEntry> page, ExecutorService threads) {
        var room = new Semaphore(AT_ONCE);
        for (var entry : page) {
            if (entry.version().equals(UNKNOWN)) {
                continue; // its record cannot be read: nothing is known of its age
            }
            if (!lifetimes.needTags() && !isDue(lifetimes, entry, Map.of())) {
                continue;
            }
            room.acquireUninterruptibly();
            var _ = threads.submit(() -> {
                try {
                    end(bucket, lifetimes, entry);
                } finally {
                    room.release();
                }
            });
        }
        room.acquireUninterruptibly(AT_ONCE);
    }

    private boolean isDue(Lifetimes lifetimes, ListEntry entry, Map<String, String> tags) {
        var end = lifetimes.of(entry.key(), entry.size(), tags, Instant.ofEpochMilli(entry.modifiedMillis()));
        boolean due = end.isPresent() && !end.get().at().isAfter(now);
        if (end.isPresent() && !due) {
            waiting.increment();
        }
        return due;
    }

    private void end(Bucket bucket, Lifetimes lifetimes, ListEntry entry) {
        try {
            if (lifetimes.needTags()) {
                var tags = tags(bucket, entry);
                if (tags.isEmpty() || !isDue(lifetimes, entry, tags.get().values())) {
                    return;
                }
            }
            delete(bucket, entry);
            deleted.increment();
        } catch (StoreException.PreconditionFailed written) {
            LOG.debug("{}/{} was written meanwhile: it stays", bucket.name(), entry.key());
        } catch (StoreException notNow) {
            failed.increment();
            LOG.debug("{}/{} has expired, and is deleted later: {}", bucket.name(), entry.key(), notNow.getMessage());
        } catch (RuntimeException bug) {
            failed.increment();
            LOG.error("{}/{} has expired, and cannot be deleted", bucket.name(), entry.key(), bug);
        }
    }

    /// Of the version that was listed; empty where there is another one now.
    private Optional<Tags> tags(Bucket bucket, ListEntry entry) {
        if (store.lookup(BucketRefs.of(bucket), entry.key()) instanceof Lookup.Hit(var object)) {
            try (object) {
                return Optional.of(object.record())
                        .filter(record -> record.version().equals(entry.version()))
                        .map(record -> Tags.among(record.headers()));
            }
        }
        return Optional.empty();
    }

    private void delete(Bucket bucket, ListEntry seen) {
        try (var _ = writes.enter(bucket)) {
            boolean _ = store.delete(
                    BucketRefs.of(bucket),
                    seen.key(),
                    present -> requireSeen(present, seen.version()),
                    BucketRefs.durability(bucket));
        }
    }

    private static void requireSeen(Optional<ObjectRecord> present, ObjectVersion seen) {
        if (!present.map(ObjectRecord::version).equals(Optional.of(seen))) {
            throw new StoreException.PreconditionFailed("the version that was seen");
        }
    }
}
