package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.Response;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.ClientWrites;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Mender;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.replica.slices.SliceSources;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.slots.Staged;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/// What this target answers when others ask for an object's record and bytes:
///
/// - `version`, `position`: of a write that it is the primary of,
/// - `arriving`, `position`: of one that is still coming to it, the bytes alone,
/// - `learner`: of a row that one of its drives is a learner's source of; where members have slices the record alone,
/// - `copy`: of one version of a row that is damaged elsewhere,
/// - `slice`: the bytes alone of whichever slice one of its drives has of a version, of a damaged one too if it is
///   asked to be `careful`,
/// - `recorded`: the record of that slice alone.
public final class ContentAnswers {
    private static final Duration FOR_THE_CORE = Duration.ofSeconds(5);

    private final ReplicaParts parts;
    private final ClientWrites writes;
    private final Mender mender;
    private final ArrivingObjects arriving;

    public ContentAnswers(ReplicaParts parts, ClientWrites writes, Mender mender, ArrivingObjects arriving) {
        this.parts = parts;
        this.writes = writes;
        this.mender = mender;
        this.arriving = arriving;
    }

    /// Blocks.
    public Response answer(QueryParameters query) {
        var version = query.find("version");
        if (version.isPresent()) {
            return staged(version(version.get()), (int) query.number("position"));
        }
        var name = query.find("arriving");
        if (name.isPresent()) {
            return arriving.answer(name.get(), (int) query.number("position"));
        }
        var slice = query.find("slice");
        if (slice.isPresent()) {
            return slice(version(slice.get()), query);
        }
        var recorded = query.find("recorded");
        if (recorded.isPresent()) {
            return locked(
                    query, (drive, bucket, key) -> ContentSource.recordOf(drive, bucket, key, version(recorded.get())));
        }
        var copy = query.find("copy");
        return copy.isPresent()
                ? locked(query, (drive, bucket, key) -> ContentSource.copy(drive, bucket, key, version(copy.get())))
                : row(query);
    }

    private static ObjectVersion version(String text) {
        int dash = text.indexOf('-');
        return new ObjectVersion(Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }

    private Response staged(ObjectVersion version, int position) {
        var write = writes.pending(version)
                .orElseThrow(() -> new StoreException.Unavailable("the write is decided already"));
        var object = write.object().orElseThrow();
        var record = write.accepted().orElseThrow().record().at(position);
        return switch (object.content(position)) {
            case Staged.Content.InMemory few -> ContentSource.inMemory(record, few.bytes());
            case Staged.Content.OnDrive(var drive, var path) ->
                ContentSource.staged(drive, record, path, () -> write.moved(System.nanoTime()));
        };
    }

    private DriveReplicas loop(QueryParameters query) {
        return parts.loops()
                .apply(query.text("drive"))
                .orElseThrow(() -> new StoreException.Unavailable("the drive is not here"));
    }

    private static ObjectKey key(QueryParameters query) {
        return new ObjectKey(query.number("bucket"), query.text("key"));
    }

    private BucketRef bucket(ObjectKey key) {
        return parts.applied()
                .get()
                .flatMap(known -> known.bucket(key.bucketId()))
                .orElseThrow(() -> new StoreException.Unavailable("the bucket is not known here"))
                .ref();
    }

    /// What a drive has of a key, which nobody changes meanwhile.
    private interface Look {
        Response at(Drive drive, BucketRef bucket, ObjectKey key);
    }

    private Response locked(QueryParameters query, Look look) {
        var drive = loop(query).drive();
        var key = key(query);
        var bucket = bucket(key);
        try (var _ = parts.store().publishing().lock(key)) {
            return look.at(drive, bucket, key);
        }
    }

    private Response slice(ObjectVersion version, QueryParameters query) {
        long from = query.number("from");
        long to = query.number("to");
        if (query.find("careful").isEmpty()) {
            var hot = hot(loop(query).drive(), key(query), version);
            if (hot.isPresent()) {
                return ContentSource.slice(hot.get(), from, to);
            }
        }
        return locked(
                query,
                (drive, bucket, key) -> ContentSource.slice(
                        drive,
                        bucket,
                        key,
                        version,
                        from,
                        to,
                        once(() -> mender.mendLater(bucket, key.key(), drive.id()))));
    }

    /// As objects are read; empty when the drive has another version, or what it has is damaged or only prepared.
    private Optional<StoredObject> hot(Drive drive, ObjectKey key, ObjectVersion version) {
        if (!(look(drive, bucket(key), key) instanceof Lookup.Hit(var object))) {
            return Optional.empty();
        }
        if (object.record().version().equals(version)) {
            return Optional.of(object);
        }
        object.close();
        return Optional.empty();
    }

    private Lookup look(Drive drive, BucketRef bucket, ObjectKey key) {
        var reads = parts.store().reads();
        return reads.look(
                key,
                Set.of(),
                () -> reads.hot(key, drive),
                () -> reads.lookAtOne(
                        drive, bucket, key, Set.of(), _ -> mender.mendLater(bucket, key.key(), drive.id())));
    }

    private static Runnable once(Runnable work) {
        var done = new AtomicBoolean();
        return () -> {
            if (done.compareAndSet(false, true)) {
                work.run();
            }
        };
    }

    private Response row(QueryParameters query) {
        var loop = loop(query);
        var key = key(query);
        var bucket = bucket(key);
        requireSource(loop, key, query);
        if (bucket.code().isPresent()) {
            return record(loop, bucket, key);
        }
        try {
            return committed(loop, bucket, key);
        } catch (StoreException.Damaged | StoreException.DriveFailed bad) {
            mender.mendLater(bucket, key.key(), loop.id()); // the learner asks again
            throw bad;
        }
    }

    /// Also where the own slice is damaged: the learner makes its own of others.
    private Response record(DriveReplicas loop, BucketRef bucket, ObjectKey key) {
        var drive = loop.drive();
        var entry = drive.call(() -> drive.store().entry(key.bucketId(), key.key()));
        if (entry.isEmpty()) {
            return Response.empty(200);
        }
        var own = record(drive, bucket, key, entry.get());
        if (own.isPresent()) {
            return ContentSource.record(own.get());
        }
        mender.mendLater(bucket, key.key(), loop.id());
        var others = new SliceSources(parts, bucket, key, entry.get().version(), () -> {});
        return ContentSource.record(others.recordFor(loop.id()));
    }

    /// @return empty when it cannot be read
    private Optional<ObjectRecord> record(Drive drive, BucketRef bucket, ObjectKey key, ObjectEntry entry) {
        try (var _ = parts.store().publishing().lock(key)) {
            return drive.callUnlessUnreadable(
                            () -> drive.store().lookAt(bucket, key.key(), entry).onlyRecord())
                    .flatMap(record -> record);
        }
    }

    private Response committed(DriveReplicas loop, BucketRef bucket, ObjectKey key) {
        try (var _ = parts.store().publishing().lock(key)) {
            return ContentSource.committed(
                    loop.drive(), bucket, key.key(), () -> mender.mendLater(bucket, key.key(), loop.id()));
        }
    }

    private void requireSource(DriveReplicas loop, ObjectKey key, QueryParameters query) {
        var learning = new Learning(query.number("primary"), query.number("since"), (int) query.number("incarnation"));
        var allowed = new CompletableFuture<Boolean>();
        var message = new Event.Received(query.text("learner"), new Message.AskRow(learning, key));
        int group = (int) query.number("group");
        int slot = (int) query.number("slot");
        if (parts.applied().get().filter(known -> known.has(group, slot)).isEmpty()) {
            throw new StoreException.Unavailable("slot %d of group %d is not known here".formatted(slot, group));
        }
        loop.runCopying(() -> allowed.complete(
                loop.handle(group, slot, message).stream().anyMatch(Action.SendRow.class::isInstance)));
        if (!Await.within(FOR_THE_CORE, allowed)
                .orElseThrow(() -> new StoreException.Unavailable("the drive does not answer now"))) {
            throw new StoreException.Unavailable("this drive is not the source of that learner now");
        }
    }
}
