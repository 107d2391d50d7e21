package dev.sluice.targetnode.admin;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.DeleteOutcome;
import dev.sluice.common.peer.HeldRows;
import dev.sluice.common.peer.PeerFailure;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.common.peer.TargetPage;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.object.DeleteObjectHandler;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.listing.ListEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;

/// What other nodes ask of all keys of a bucket.
final class BucketCalls {
    private static final Duration STATE_WAIT = Duration.ofSeconds(5);

    private final ObjectStore store;
    private final ControlPlane control;
    private final BucketWriteGate writes;
    private final DeleteObjectHandler deletes;
    private final ExecutorService threads;

    BucketCalls(
            ObjectStore store,
            ControlPlane control,
            BucketWriteGate writes,
            DeleteObjectHandler deletes,
            ExecutorService threads) {
        this.store = store;
        this.control = control;
        this.writes = writes;
        this.deletes = deletes;
        this.threads = threads;
    }

    TargetPage list(Bucket bucket, ListQuery query) {
        var page = store.writer(BucketRefs.of(bucket)).list(bucket.id(), query);
        return new TargetPage(listed(page.entries()), page.cover());
    }

    private static List<ListedObject> listed(List<ListEntry> entries) {
        return entries.stream()
                .map(entry -> new ListedObject(
                        entry.key(), entry.size(), entry.etag(), Instant.ofEpochMilli(entry.modifiedMillis())))
                .toList();
    }

    /// All at once, so that they share the drives' group syncs.
    List<DeleteOutcome> delete(Bucket bucket, List<S3Request.Deletion> deletions, BooleanSupplier abandoned) {
        var tasks = deletions.stream()
                .map(deletion -> threads.submit(() -> delete(bucket, deletion, abandoned)))
                .toList();
        return tasks.stream().map(Await::task).toList();
    }

    private DeleteOutcome delete(Bucket bucket, S3Request.Deletion deletion, BooleanSupplier abandoned) {
        try {
            deletes.delete(bucket, deletion.key(), deletion.conditions(), abandoned);
            return new DeleteOutcome(deletion.key(), Optional.empty());
        } catch (StoreException e) {
            return new DeleteOutcome(deletion.key(), Optional.of(PeerFailure.of(e)));
        }
    }

    boolean isEmpty(Bucket bucket, long stateVersion, boolean uploadsCount) {
        awaitState(stateVersion);
        writes.awaitCommitted(bucket);
        return store.writer(BucketRefs.of(bucket)).isEmpty(bucket.id(), uploadsCount);
    }

    private void awaitState(long version) {
        if (Await.within(STATE_WAIT, control.watch(version - 1)).isEmpty()) {
            throw new StoreException.Unavailable("this target has not heard of state " + version + " yet");
        }
    }

    List<HeldRows> held(SlotQuestion question) {
        return SlotRowsCall.answer(store.drives(), question);
    }
}
