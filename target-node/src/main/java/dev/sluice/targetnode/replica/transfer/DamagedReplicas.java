package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.loop.LocalChanges;
import dev.sluice.targetnode.replica.loop.Mender;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.replica.slices.SliceSources;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Restores damaged objects on drives of this target from other replicas of their slots.
///
/// The row of the drive's index says which version is wanted, and a version is the same bytes everywhere. The new
/// file takes the place of the damaged one under the key's lock, if the row is still of that version: a newer write
/// wins, and it does not matter which replica is the primary, or whether that changes.
public final class DamagedReplicas implements Mender {
    private static final Logger LOG = LoggerFactory.getLogger(DamagedReplicas.class);
    private static final int AT_ONCE = 8;
    private static final int MOST_LATER = 1024;

    /// How long one waits for its turn.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// That of a row which cannot be read: no replica has it.
    private static final ObjectVersion NOBODYS = new ObjectVersion(0, 0);

    private final ContentTransfer transfer;
    private final ReplicaParts parts;
    private final Map<Damaged, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();
    private final Semaphore turns = new Semaphore(AT_ONCE);
    private final AtomicInteger later = new AtomicInteger();
    private final AtomicLong mended = new AtomicLong();

    public DamagedReplicas(ReplicaParts parts, ContentTransfer transfer) {
        this.parts = parts;
        this.transfer = transfer;
    }

    /// An object on a drive.
    private record Damaged(Drive drive, LocalChanges.KnownBucket bucket, ObjectKey name, ObjectVersion version) {
        @Override
        public String toString() {
            return "'%s' of bucket %s on drive %s"
                    .formatted(name.key(), bucket.ref().name(), drive.id());
        }
    }

    /// How many objects were restored.
    public long mended() {
        return mended.get();
    }

    @Override
    public void mendLater(BucketRef bucket, String key, String drive) {
        if (later.incrementAndGet() > MOST_LATER) {
            later.decrementAndGet(); // the next read or scrub finds it again
            return;
        }
        parts.threads().execute(() -> {
            try {
                var _ = mend(bucket, key, drive);
            } catch (StoreException notNow) {
                LOG.warn("'{}' of bucket {} is not restored now: {}", key, bucket.name(), notNow.getMessage());
            } finally {
                later.decrementAndGet();
            }
        });
    }

    @Override
    public boolean mend(BucketRef bucket, String key, String drive) {
        var on = parts.loops()
                .apply(drive)
                .orElseThrow(() -> new StoreException.Unavailable("drive " + drive + " takes no part in replication"))
                .drive();
        var known = parts.applied()
                .get()
                .flatMap(now -> now.bucket(bucket.id()))
                .orElseThrow(() -> new StoreException.Unavailable("the bucket is not known here"));
        var name = new ObjectKey(bucket.id(), key);
        return version(on, name)
                .map(version -> mendOnce(new Damaged(on, known, name, version)))
                .orElse(true); // it is deleted
    }

    private static Optional<ObjectVersion> version(Drive drive, ObjectKey name) {
        return drive.call(() -> {
            try {
                return drive.store().row(name.bucketId(), name.key());
            } catch (DamagedRecordException _) {
                return Optional.of(NOBODYS);
            }
        });
    }

    /// Those who ask while it is done share the result.
    private boolean mendOnce(Damaged object) {
        var mine = new CompletableFuture<Boolean>();
        var others = underWay.putIfAbsent(object, mine);
        if (others != null) {
            return Await.task(others);
        }
        try {
            boolean done = mendInTurn(object);
            mine.complete(done);
            return done;
        } catch (RuntimeException failure) {
            mine.completeExceptionally(failure);
            throw failure;
        } finally {
            underWay.remove(object, mine);
            mine.completeExceptionally(new StoreException.Unavailable(object + " was not restored")); // if not done
        }
    }

    private boolean mendInTurn(Damaged object) {
        if (!Await.interruptible(() -> turns.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS))) {
            throw new StoreException.Unavailable(object + " is damaged, and many others are just restored");
        }
        try {
            return !hasNewer(object) && isRestored(object);
        } finally {
            turns.release();
        }
    }

    /// A power cut may leave the file of an acknowledged write and not its row, where the bucket is not durable. That
    /// file is served, so nothing older takes its place.
    private static boolean hasNewer(Damaged object) {
        var present = object.drive.callUnlessUnreadable(() -> object.drive
                .store()
                .find(object.bucket.ref(), object.name.key())
                .onlyRecord());
        return present.flatMap(record -> record)
                .filter(record -> record.version().compareTo(object.version) > 0)
                .isPresent();
    }

    /// @return false when no other replica has it
    /// @throws StoreException.Unavailable when an in-sync one cannot give it now
    private boolean isRestored(Damaged object) {
        return object.bucket.ref().code().isPresent() ? isMade(object) : isCopied(object);
    }

    /// Of other slices, or of the sound cells of its own and others.
    private boolean isMade(Damaged object) {
        var sources = new SliceSources(parts, object.bucket.ref(), object.name, object.version, () -> {});
        try (var slice = sources.sliceFor(object.drive.id())) {
            take(object, slice, slice.record(), "other slices");
            return true;
        } catch (StoreException.Damaged lost) {
            LOG.error("{}: {}", object, lost.getMessage());
            return isReplaced(object);
        } catch (IOException | StoreException.NoSpace failure) {
            throw new StoreException.Unavailable(object + ": " + failure.getMessage());
        }
    }

    private static boolean isReplaced(Damaged object) {
        return !version(object.drive, object.name).equals(Optional.of(object.version));
    }

    private boolean isCopied(Damaged object) {
        Optional<String> unknown = Optional.empty();
        for (var replica : others(object)) {
            try {
                requireUp(replica.drive());
                if (isCopiedFrom(replica.drive(), object)) {
                    return true;
                }
                LOG.warn("{}: drive {} has no sound copy of version {}", object, replica.drive(), object.version.id());
            } catch (IOException | StoreException.Unavailable | StoreException.NoSpace notNow) {
                LOG.warn("{} is not restored from drive {}: {}", object, replica.drive(), notNow.toString());
                if (replica.inSync()) {
                    unknown = Optional.of("drive %s: %s".formatted(replica.drive(), notNow.getMessage()));
                }
            }
        }
        if (unknown.isPresent()) {
            throw new StoreException.Unavailable(
                    "%s is damaged, and cannot be restored now: %s; try again".formatted(object, unknown.get()));
        }
        return false;
    }

    /// Who is down is not asked: it would not answer.
    private void requireUp(String drive) {
        if (!parts.applied().get().orElseThrow().state().replication().usable(drive)) {
            throw new StoreException.Unavailable("its target is down");
        }
    }

    /// The other replicas of its slot, the in-sync ones first; none when the drive is not a member. Learners may have
    /// the version, too.
    private List<Member> others(Damaged object) {
        var known = parts.applied().get().orElseThrow();
        return known
                .groupOf(object.name.bucketId())
                .flatMap(group -> known.row(group.id(), group.slotOf(object.name.bucketId(), object.name.key())))
                .filter(row -> row.member(object.drive.id()).isPresent())
                .stream()
                .flatMap(row -> row.members().stream())
                .filter(member -> !member.drive().equals(object.drive.id()))
                .sorted(Comparator.comparing(Member::inSync).reversed())
                .toList();
    }

    /// @return false when it does not have that version, or not as it was written
    private boolean isCopiedFrom(String replica, Damaged object) throws IOException {
        var owner = parts.applied()
                .get()
                .flatMap(known -> known.owner(replica))
                .orElseThrow(() -> new StoreException.Unavailable("no target has it"));
        var query = "copy=%d-%d&drive=%s&bucket=%d&key=%s"
                .formatted(
                        object.version.epoch(),
                        object.version.sequence(),
                        replica,
                        object.name.bucketId(),
                        URLEncoder.encode(object.name.key(), StandardCharsets.UTF_8));
        try (var answer = transfer.open(owner, query)) {
            if (answer.isEmpty() || !isOf(object, answer.record())) {
                return false;
            }
            take(object, answer.body(), answer.record(), "drive " + replica);
            return true;
        } catch (StoreException.Damaged wrong) {
            LOG.error("drive {}: {}", replica, wrong.getMessage());
            return false;
        }
    }

    private void take(Damaged object, InputStream body, ObjectRecord record, String from) throws IOException {
        var work = Layout.work(parts.store().versions().next());
        try (var fetch = new ContentFetch(object.drive, object.bucket.ref(), work, object.bucket.durable())) {
            fetch.take(body, record, parts.store().smallLimit());
            if (isReplaced(object, fetch, work)) {
                mended.incrementAndGet();
                LOG.warn("{} was damaged: it is restored from {}", object, from);
            }
        }
    }

    private static boolean isOf(Damaged object, ObjectRecord record) {
        return record.bucketId() == object.name.bucketId()
                && record.key().equals(object.name.key())
                && record.version().equals(object.version);
    }

    /// Whoever commits another version of the key has its lock, too.
    ///
    /// @return false when another version is there by now
    private boolean isReplaced(Damaged object, ContentFetch fetch, String work) {
        var drive = object.drive;
        try (var _ = parts.store().publishing().lock(object.name)) {
            if (!version(drive, object.name).equals(Optional.of(object.version)) || hasNewer(object)) {
                return false;
            }
            var change = drive.call(fetch::prepared);
            try {
                drive.commit(change);
            } catch (StoreException.Unavailable | StoreException.NoSuchBucket | IllegalStateException refused) {
                var _ = drive.startStep(() -> drive.store().discard(work));
                throw refused;
            }
            parts.store().hotSet().invalidate(object.name);
            return true;
        }
    }
}
