package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what cores order on their drives: one change of a slot after the other, and then an event that says how
/// it ended.
public final class LocalChanges {
    private static final Logger LOG = LoggerFactory.getLogger(LocalChanges.class);

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final ObjectStore store;
    private final Staging staging;
    private final LongFunction<Optional<KnownBucket>> buckets;
    private final Consumer<Failure> failures;
    private final Executor threads;

    /// @param durable whether its group's writes are to outlive a loss of power
    public record KnownBucket(BucketRef ref, boolean durable) {}

    /// Why a prepared write was refused here.
    public record Failure(ObjectVersion version, StoreException why) {}

    /// @param buckets by id
    public LocalChanges(
            ObjectStore store,
            Staging staging,
            LongFunction<Optional<KnownBucket>> buckets,
            Consumer<Failure> failures,
            Executor threads) {
        this.store = store;
        this.staging = staging;
        this.buckets = buckets;
        this.failures = failures;
        this.threads = threads;
    }

    /// Never blocks. On the loop's thread.
    public void begin(LocalReplica replica, Action.Local action) {
        var bytes = bytes(replica.loop(), action);
        replica.loop().changeBegan();
        var change = replica.changes().thenComposeAsync(_ -> patiently(replica.loop(), action, bytes), threads);
        var ended = change.handle((_, failure) -> {
            try {
                end(replica, action, bytes, Optional.ofNullable(failure));
            } finally {
                replica.loop().changeEnded();
            }
            return null;
        });
        replica.changing(ended.thenRun(() -> {}));
    }

    /// On a thread that commits, perhaps.
    private void end(
            LocalReplica replica, Action.Local action, Optional<Staging.Bytes> bytes, Optional<Throwable> failure) {
        if (action instanceof Action.StoreIntent(var intent)) {
            staging.came(replica.loop(), intent.slice());
        }
        if (failure.isEmpty()) {
            replica.loop().post(replica.group(), replica.slot(), new Event.Done(action));
            return;
        }
        var why = Await.reason(failure.get());
        if (why instanceof StoreException.NoSuchBucket && action instanceof Action.DeleteRow) {
            replica.loop().post(replica.group(), replica.slot(), new Event.Done(action)); // it went with its bucket
            return;
        }
        // where the drive itself failed, nobody knows what is on it
        if (why instanceof StoreException refused && !(why instanceof StoreException.DriveFailed)) {
            if (action instanceof Action.StoreIntent || action instanceof Action.StorePulled) {
                bytes.ifPresent(Staging.Bytes::undo);
                if (action instanceof Action.StoreIntent(var intent)) {
                    failures.accept(new Failure(intent.version(), refused));
                }
                replica.loop().post(replica.group(), replica.slot(), new Event.Failed(action));
                return;
            }
        }
        LOG.error("drive {} could not do {}", replica.loop().id(), action, why);
        replica.loop().close();
    }

    /// They are taken when the change is ordered: what comes later for the same version is not for it.
    private Optional<Staging.Bytes> bytes(DriveReplicas loop, Action.Local action) {
        return switch (action) {
            case Action.StoreIntent(var intent) when !intent.delete() -> staging.take(loop, intent.slice());
            case Action.StorePulled pulled -> staging.take(loop, pulled.slice());
            default -> Optional.empty();
        };
    }

    /// Only a prepared write may be refused because too much waits for the drive.
    private CompletableFuture<Void> patiently(DriveReplicas loop, Action.Local action, Optional<Staging.Bytes> bytes) {
        var change = tried(loop, action, bytes);
        if (action instanceof Action.StoreIntent || action instanceof Action.StorePulled) {
            return change;
        }
        return change.exceptionallyComposeAsync(
                failure -> {
                    var why = Await.reason(failure);
                    if (!(why instanceof StoreException.Unavailable)
                            || !loop.drive().serves()) {
                        return CompletableFuture.failedFuture(why);
                    }
                    LockSupport.parkNanos(PAUSE.toNanos());
                    return patiently(loop, action, bytes);
                },
                threads);
    }

    private CompletableFuture<Void> tried(DriveReplicas loop, Action.Local action, Optional<Staging.Bytes> bytes) {
        try {
            return run(loop, action, bytes);
        } catch (StoreException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private CompletableFuture<Void> run(DriveReplicas loop, Action.Local action, Optional<Staging.Bytes> bytes) {
        var drive = loop.drive();
        return switch (action) {
            case Action.StoreIntent(var intent) -> storeIntent(drive, intent, bytes);
            case Action.Settle settle -> settle(loop, settle);
            case Action.DeleteRow(var key, var version) -> visibly(key, () -> deleteRow(drive, key, version));
            case Action.StorePulled(var _, var key, var slice) ->
                visibly(key, () -> storePulled(drive, key, slice, bytes));
            case Action.SyncSlot _ -> loop.sync();
        };
    }

    private CompletableFuture<Void> storeIntent(Drive drive, OpenIntent intent, Optional<Staging.Bytes> bytes) {
        var key = intent.key();
        if (isOpen(drive, key, intent.slice())) {
            bytes.ifPresent(Staging.Bytes::drop);
            return CompletableFuture.completedFuture(null);
        }
        var bucket = bucket(key);
        var change = intent.delete()
                ? Prepared.deletion(bucket.ref(), key.key(), intent.version(), bucket.durable())
                : prepared(drive, bytes);
        return drive.prepare(change);
    }

    private static boolean isOpen(Drive drive, ObjectKey key, Slice slice) {
        return drive.openIntent(key.bucketId(), key.key())
                .filter(open -> open.slice().equals(slice))
                .isPresent();
    }

    /// The source has committed what it sends. When that is the open intent, the message that says so is lost or late.
    private static void storePulled(Drive drive, ObjectKey key, Slice slice, Optional<Staging.Bytes> bytes) {
        if (isOpen(drive, key, slice)) {
            bytes.ifPresent(Staging.Bytes::drop);
            Await.whole(drive.commitOpen(key.bucketId(), key.key(), slice.version()));
            return;
        }
        if (isAnotherOpen(drive, key, slice)) {
            Await.whole(drive.abortOpen(key.bucketId(), key.key(), slice.version(), false));
        }
        drive.commit(prepared(drive, bytes));
    }

    /// Another slice of the same version.
    private static boolean isAnotherOpen(Drive drive, ObjectKey key, Slice slice) {
        return drive.openIntent(key.bucketId(), key.key())
                .filter(open ->
                        open.version().equals(slice.version()) && !open.slice().equals(slice))
                .isPresent();
    }

    private static Prepared prepared(Drive drive, Optional<Staging.Bytes> bytes) {
        var came = bytes.orElseThrow(() -> new StoreException.Unavailable("the bytes of the write did not come"));
        return drive.call(came::prepared);
    }

    private CompletableFuture<Void> settle(DriveReplicas loop, Action.Settle settle) {
        var drive = loop.drive();
        var key = settle.key();
        if (!settle.commit()) {
            return drive.abortOpen(key.bucketId(), key.key(), settle.version(), settle.sync());
        }
        var seen = visibly(key, () -> Await.whole(drive.commitOpen(key.bucketId(), key.key(), settle.version())));
        return settle.sync() ? seen.thenCompose(_ -> loop.sync()) : seen;
    }

    /// Of this version only: a newer one is not what the core had seen.
    private void deleteRow(Drive drive, ObjectKey key, ObjectVersion version) {
        var here = drive.call(() -> drive.store().row(key.bucketId(), key.key()));
        if (!here.equals(Optional.of(version))) {
            return;
        }
        var bucket = bucket(key);
        drive.commit(Prepared.deletion(bucket.ref(), key.key(), store.versions().next(), bucket.durable()));
    }

    /// No reader gets what was there before once this is done, or has failed: then nobody knows whether it is there.
    private CompletableFuture<Void> visibly(ObjectKey key, Runnable change) {
        try (var _ = store.publishing().lock(key)) {
            try {
                change.run();
            } finally {
                store.hotSet().invalidate(key);
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    private KnownBucket bucket(ObjectKey key) {
        return buckets.apply(key.bucketId())
                .orElseThrow(() -> new StoreException.Unavailable("bucket " + key.bucketId() + " is not known here"));
    }
}
