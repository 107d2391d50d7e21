package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendChecks;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendStream;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.Upload;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/// One fetch of one object: its bytes go into a staging file, and every reader follows behind. Runs on a virtual thread
/// of its own and goes on when all readers have left.
final class Fill implements Runnable {
    private static final int READ = 256 << 10;

    private final ObjectStore store;
    private final Backend backend;
    private final BucketRef bucket;
    private final String key;
    private final Durability durability;
    private final Fetching fetching;
    private final Consumer<Fill> whenEnded;
    private final FillProgress progress = new FillProgress();
    private final CompletableFuture<Optional<Begun>> begun = new CompletableFuture<>();
    private final CompletableFuture<Outcome> ended = new CompletableFuture<>();
    private volatile boolean superseded;
    private volatile long agreedMillis;

    /// What became of the object.
    enum Outcome {
        STORED,
        /// Another fill had stored it before.
        THERE,
        /// A write of its key was begun meanwhile.
        SUPERSEDED,
        /// The drive took no more.
        NO_ROOM
    }

    /// What readers need: the cloud's word on the object, and the file that its bytes go to.
    private record Begun(BackendObject object, Upload upload) {}

    /// @param whenEnded called once, whatever became of the fill
    /// @param askedMillis now, before the cloud is asked
    Fill(
            ObjectStore store,
            Backend backend,
            Bucket bucket,
            String key,
            Fetching fetching,
            Consumer<Fill> whenEnded,
            long askedMillis) {
        this.store = store;
        this.backend = backend;
        this.bucket = BucketRefs.of(bucket);
        this.key = key;
        this.durability = BucketRefs.durability(bucket);
        this.fetching = fetching;
        this.whenEnded = whenEnded;
        this.agreedMillis = askedMillis;
    }

    /// Something newer was begun: this fill serves its readers but stores nothing.
    void supersede() {
        superseded = true;
    }

    /// Waits for the cloud's word.
    ///
    /// @return empty when the object was stored already: whoever missed it looked before that
    /// @throws StoreException what the cloud or the drive said instead
    Optional<BackendObject> object() {
        return asked().map(Begun::object);
    }

    /// The same, until it is interrupted.
    Optional<BackendObject> awaitObject() throws InterruptedException {
        try {
            return begun.get().map(Begun::object);
        } catch (ExecutionException e) {
            throw Await.unchecked(e);
        }
    }

    private Begun begun() {
        return asked().orElseThrow(() -> new IllegalStateException("this fill has fetched nothing"));
    }

    private Optional<Begun> asked() {
        return Await.whole(begun);
    }

    /// Waits for the end, without reading. The fill goes on when the wait is interrupted.
    ///
    /// @throws StoreException what the cloud or the drive said instead
    Outcome awaitEnd() throws InterruptedException {
        try {
            return ended.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case StoreException failure -> throw failure;
                case IOException broken ->
                    throw new StoreException.BackendUnavailable("the fetch broke off: " + broken.getMessage(), broken);
                case null, default -> throw new IllegalStateException("a fill of " + key, e.getCause());
            }
        }
    }

    /// When the cloud last said that it has what is fetched here.
    long agreedMillis() {
        return agreedMillis;
    }

    void agreed(long millis) {
        agreedMillis = millis;
    }

    /// How far a reader could get without waiting.
    long available() {
        return progress.available();
    }

    /// Keeps the bytes for a reader, who must [#leave].
    ///
    /// @return false when the fill has ended and let them go
    boolean join() {
        return begun().upload().retain();
    }

    void leave() {
        begun().upload().release();
    }

    /// For a reader that has joined: waits for the bytes as they come.
    ///
    /// @throws IOException when the fill breaks off
    void copy(long offset, long length, ByteSink sink) throws IOException {
        var upload = begun().upload();
        long end = offset + length;
        for (long at = offset; at < end; ) {
            long from = at;
            long available = Math.min(end, progress.awaitBeyond(from));
            int written = sink.write((int) Math.min(READ, available - from), into -> upload.readAt(from, into));
            if (written == 0) {
                throw new IOException("the staging file ends before byte " + from);
            }
            at += written;
        }
    }

    @Override
    public void run() {
        try {
            if (isStored()) {
                begun.complete(Optional.empty());
                end(Outcome.THERE);
            } else {
                end(fetch());
            }
        } catch (StoreException | IOException e) {
            fail(e);
        } catch (Throwable bug) {
            fail(bug);
            throw bug;
        }
    }

    /// Who waited for the end finds it gone from the list of fills.
    private void end(Outcome outcome) {
        whenEnded.accept(this);
        ended.complete(outcome);
    }

    private void fail(Throwable cause) {
        begun.completeExceptionally(cause);
        progress.fail(cause);
        whenEnded.accept(this);
        ended.completeExceptionally(cause);
    }

    /// Another fill of the same object may have ended between a reader's look into the store and this one's start.
    private boolean isStored() {
        if (store.lookup(bucket, key) instanceof Lookup.Hit(var object)) {
            object.close();
            return true;
        }
        return false;
    }

    private Outcome fetch() throws IOException {
        try (var stream = backend.get(key, BackendRead.WHOLE);
                var upload = store.begin(bucket, key, stream.length(), durability)) {
            progress.begin(stream.object().size());
            begun.complete(Optional.of(new Begun(stream.object(), upload)));
            receive(stream, upload);
            var outcome = store(stream.object(), upload);
            progress.complete();
            return outcome;
        }
    }

    private void receive(BackendStream stream, Upload upload) throws IOException {
        if (fetching.parallel().suits(stream.object())) {
            ParallelFetch.run(fetching.parallel(), backend, stream, upload, progress);
            return;
        }
        var checked = BackendChecks.of(stream.object()).verifying(stream.body(), fetching.digests());
        for (var bytes = checked.next(); bytes.hasRemaining(); bytes = checked.next()) {
            int length = bytes.remaining();
            upload.write(bytes);
            progress.wrote(length);
        }
    }

    private Outcome store(BackendObject object, Upload upload) {
        try {
            upload.createdAt(agreedMillis);
            upload.commit(
                    object.size(),
                    new CommitTerms(
                            object.etag(),
                            object.checksums(),
                            object.headers(),
                            object.userMetadata(),
                            Optional.of(object.version()),
                            Optional.of(object.lastModified().toEpochMilli()),
                            _ -> {
                                if (superseded) {
                                    throw new Superseded();
                                }
                            }));
            return Outcome.STORED;
        } catch (Superseded _) {
            return Outcome.SUPERSEDED; // what was fetched is served to those who wait, and not kept
        } catch (StoreException.NoSpace _) {
            return Outcome.NO_ROOM; // likewise
        }
    }

    private static final class Superseded extends RuntimeException {
        Superseded() {
            super("superseded", null, false, false);
        }
    }
}
