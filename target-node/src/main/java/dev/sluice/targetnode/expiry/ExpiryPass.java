package dev.sluice.targetnode.expiry;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.concurrent.Await;
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
import java.util.function.Supplier;
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

    /// For a page that cannot be listed, or no controller that answers: before the pass is given up.
    private static final int MOST_FAILURES = 20;

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LATELY = Duration.ofSeconds(5);

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
    /// @throws StoreException when the bucket's keys cannot be listed, or no controller answers
    void over(Bucket started) {
        var from = "";
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            while (wanted.getAsBoolean()) {
                pace.await(PAGE, RATE, wanted);
                var after = from;
                var next = repeated(() -> page(started, after, threads));
                if (next.isEmpty()) {
                    break;
                }
                from = next.get();
            }
        }
    }

    private <T> T repeated(Supplier<T> work) {
        for (int failures = 0; ; failures++) {
            try {
                return work.get();
            } catch (StoreException.Unavailable notNow) {
                if (failures == MOST_FAILURES || !wanted.getAsBoolean()) {
                    throw notNow;
                }
                Await.pause(PAUSE);
            }
        }
    }

    /// By the rules as they are now, which a controller says.
    ///
    /// @return where the next page begins; empty when there is none
    private Optional<String> page(Bucket started, String from, ExecutorService threads) {
        var view = views.confirmed(LATELY);
        var bucket = view.bucket(started.name()).filter(there -> there.id() == started.id() && !there.deleting());
        if (bucket.isEmpty() || !view.rules(bucket.get()).letExpire(bucket.get())) {
            return Optional.empty();
        }
        var lifetimes = Lifetimes.of(bucket.get(), view.rules(bucket.get()), day);
        var query = new ListQuery(lifetimes.prefix(), "", from, PAGE);
        var page = store.writer(BucketRefs.of(bucket.get()))
                .list(started.id(), query)
                .entries();
        work(bucket.get(), lifetimes, page, threads);
        return page.size() < PAGE
                ? Optional.empty()
                : Optional.of(KeyOrder.justAfter(page.getLast().key()));
    }

    /// Also of one that broke off.
    Result result() {
        return new Result(deleted.sum(), waiting.sum(), failed.sum());
    }

    private void work(Bucket bucket, Lifetimes lifetimes, Iterable<ListEntry> page, ExecutorService threads) {
        var room = new Semaphore(AT_ONCE);
        for (var entry : page) {
            if (entry.version().equals(UNKNOWN)) {
                continue; // its record cannot be read: nothing is known of its age
            }
            if (!mayBeDue(lifetimes, entry)) {
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

    /// Without a look at the object, whose tags may say otherwise.
    private boolean mayBeDue(Lifetimes lifetimes, ListEntry entry) {
        var modified = Instant.ofEpochMilli(entry.modifiedMillis());
        return lifetimes.needTags()
                ? lifetimes.mayHaveEnded(entry.key(), entry.size(), modified, now)
                : isDue(lifetimes, entry, Map.of());
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
