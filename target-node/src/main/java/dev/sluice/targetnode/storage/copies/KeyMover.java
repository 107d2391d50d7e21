package dev.sluice.targetnode.storage.copies;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.change.KeyCommitter.Step;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.resilver.Mover;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Puts keys where they belong. The bytes are copied while everybody goes on with the key; under its lock it is then
/// looked again whether that is still what is wanted, and the copies appear, and only after that the others go.
///
/// Leaves keys of replicated buckets alone: the table of slots says where they belong.
public final class KeyMover implements Mover, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyMover.class);
    private static final int ATTEMPTS = 8;
    private static final int LARGE_AT_ONCE = 8;
    private static final int LATER = 1024;
    private static final int LATER_AT_ONCE = 4;

    private final Drives drives;
    private final KeyCommitter committer;
    private final int smallLimit;
    private final Blocks blocks = new Blocks(LARGE_AT_ONCE);
    private final Set<ObjectKey> waiting = ConcurrentHashMap.newKeySet();
    private final Semaphore turns = new Semaphore(LATER_AT_ONCE);
    private final ExecutorService later = Executors.newVirtualThreadPerTaskExecutor();

    public KeyMover(Drives drives, KeyCommitter committer, int smallLimit) {
        this.drives = drives;
        this.committer = committer;
        this.smallLimit = smallLimit;
    }

    @Override
    public long bring(BucketRef bucket, String key) {
        return bucket.isLocal() ? bring(bucket, key, Set.of()) : 0;
    }

    /// Makes a damaged copy anew from another one.
    ///
    /// @param drive where it was found damaged
    /// @return false when there is no other
    public boolean mend(BucketRef bucket, String key, String drive) {
        var where = drives.of(bucket, key);
        if (where.isSingle() || where.readable().size() < 2) {
            return false;
        }
        try {
            bring(bucket, key, Set.of(drive));
            LOG.warn("'{}' of bucket {} on drive {} was damaged: it is copied anew", key, bucket.name(), drive);
            return true;
        } catch (StoreException.Damaged noOther) {
            return false;
        }
    }

    /// The same when nobody waits for it. What is refused now, or fails, is left to the next read or scrub.
    ///
    /// @param bad ids of drives whose copies were found damaged
    public void bringLater(BucketRef bucket, String key, Set<String> bad) {
        var name = new ObjectKey(bucket.id(), key);
        if (!bucket.isLocal() || waiting.size() >= LATER || !waiting.add(name)) {
            return;
        }
        later.execute(() -> {
            turns.acquireUninterruptibly();
            try {
                long bytes = bring(bucket, key, bad);
                LOG.warn("'{}' of bucket {} missed a good copy: {} bytes are copied", key, bucket.name(), bytes);
            } catch (StoreException notNow) {
                LOG.warn("'{}' of bucket {} misses a good copy: {}", key, bucket.name(), notNow.getMessage());
            } finally {
                turns.release();
                waiting.remove(name);
            }
        });
    }

    /// What is to be done about a key.
    ///
    /// @param version the newest
    /// @param sources where it is
    /// @param needing where it is not, and should be
    /// @param leaving where something is, and should not be
    private record Plan(Optional<ObjectVersion> version, Set<Drive> sources, List<Drive> needing, List<Drive> leaving) {
        boolean isDone() {
            return needing.isEmpty() && leaving.isEmpty();
        }
    }

    private Plan plan(BucketRef bucket, String key, Set<String> bad) {
        var where = drives.of(bucket, key);
        var holders = where.toWrite();
        var seen = Finder.certain(Finder.look(where, bucket.id(), key));
        var writable = where.writable();
        var newest = seen.newest();
        var sources = newest.stream()
                .filter(each -> !bad.contains(each.drive().id())
                        && !each.entry().orElseThrow().damaged())
                .map(Known::drive)
                .collect(Collectors.toSet());
        boolean exists = !newest.isEmpty();
        var needing = exists
                ? holders.stream().filter(holder -> !sources.contains(holder)).toList()
                : List.<Drive>of();
        var leaving = seen.known().stream()
                .filter(each -> each.entry().isPresent() && writable.contains(each.drive()))
                .map(Known::drive)
                .filter(drive -> !exists || !holders.contains(drive))
                .toList();
        return new Plan(seen.version(), sources, needing, leaving);
    }

    private long bring(BucketRef bucket, String key, Set<String> knownBad) {
        var bad = new HashSet<>(knownBad);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var plan = plan(bucket, key, bad);
            if (plan.isDone()) {
                return 0;
            }
            var moved = plan.needing.isEmpty()
                    ? commit(bucket, key, bad, plan, Optional.empty())
                    : copy(bucket, key, bad, plan);
            if (moved.isPresent()) {
                return moved.get();
            }
        }
        throw new StoreException.Unavailable("'%s' is changed all the time".formatted(key));
    }

    /// @return empty when it has changed meanwhile, or a copy was found damaged
    private Optional<Long> copy(BucketRef bucket, String key, Set<String> bad, Plan plan) {
        var source = plan.sources.stream()
                .min(Comparator.comparingInt(Drive::waiting))
                .orElseThrow(() -> new StoreException.Damaged("no copy of '%s' is good".formatted(key)));
        switch (source.call(() -> source.store().find(bucket, key))) {
            case Found.Absent() -> {
                return Optional.empty();
            }
            case Found.Damaged(var why) -> {
                LOG.error("drive {}: {}", source.id(), why);
                bad.add(source.id());
                return Optional.empty();
            }
            case Found.Present(var record, var file) -> {
                try (var transfer = new Transfer(
                        bucket, record, plan.needing, committer.versions().next(), blocks, smallLimit)) {
                    transfer.run(source, file);
                    return commit(bucket, key, bad, plan, Optional.of(transfer))
                            .map(_ -> record.size() * plan.needing.size());
                } catch (StoreException.Damaged wrong) {
                    LOG.error("drive {}: {}", source.id(), wrong.getMessage());
                    bad.add(source.id());
                    return Optional.empty();
                } finally {
                    source.closeLater(file);
                }
            }
        }
    }

    private static final class Changed extends RuntimeException {
        Changed() {
            super("changed meanwhile", null, false, false);
        }
    }

    private Optional<Long> commit(
            BucketRef bucket, String key, Set<String> bad, Plan plan, Optional<Transfer> transfer) {
        try {
            return Optional.of(committer.change(bucket, key, () -> {
                var now = plan(bucket, key, bad);
                if (!now.equals(plan)) {
                    throw new Changed();
                }
                List<Step> steps = transfer.map(Transfer::handOver).orElse(List.of());
                var gone = plan.leaving.stream()
                        .map(drive -> new Step(
                                drive,
                                Prepared.deletion(
                                        bucket, key, committer.versions().next(), true)))
                        .toList();
                return new KeyCommitter.Ready<>(steps, gone, 0L);
            }));
        } catch (Changed _) {
            return Optional.empty();
        }
    }

    /// Copies a file of one drive, which is about to become an object, to others. Under the key's lock.
    ///
    /// @return what each of them is to commit
    public List<Step> spread(BucketRef bucket, ObjectRecord record, Drive source, String path, List<Drive> targets) {
        var file = source.call(() -> source.store().open(path));
        try (var transfer =
                new Transfer(bucket, record, targets, committer.versions().next(), blocks, smallLimit)) {
            transfer.run(source, file);
            return transfer.handOver();
        } finally {
            source.closeLater(file);
        }
    }

    /// Returns when no key is being moved any more.
    @Override
    public void close() {
        later.close();
    }
}
