package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Staged;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/// A client's write that is not decided yet.
public final class PendingWrite {
    /// What is to be stored under the version it got.
    public final class Accepted {
        private final ObjectRecord record;
        private final byte[] encoded;

        private Accepted(ObjectRecord record) {
            this.record = record;
            this.encoded = RecordBytes.encode(record);
        }

        public ObjectRecord record() {
            return record;
        }

        /// For another replica.
        ///
        /// @param position which slice it is to have
        public Envelope.Attached attached(int position) {
            var staged = object.orElseThrow();
            return new Envelope.Attached(encoded, attachedBytes(staged.content(position)), staged.arrivedAs());
        }
    }

    private enum State {
        WAITING,
        BEGUN,
        GIVEN_UP
    }

    private static final int LARGEST_ATTACHED = 256 << 10;

    private final LocalReplica replica;
    private final Optional<Staged> object;
    private final BucketRef bucket;
    private final CompletableFuture<Action.Outcome> outcome = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile Optional<Accepted> accepted = Optional.empty();
    private volatile Optional<ObjectVersion> version = Optional.empty();
    private volatile long lastMoved = System.nanoTime();
    private volatile Optional<StoreException> refusal = Optional.empty();

    /// @param replica whose loop decides it
    /// @param object empty for a deletion
    /// @param bucket says with how many in-sync replicas it is acknowledged
    PendingWrite(LocalReplica replica, Optional<Staged> object, BucketRef bucket) {
        this.replica = replica;
        this.object = object;
        this.bucket = bucket;
    }

    public DriveReplicas loop() {
        return replica.loop();
    }

    boolean hasEnoughInSync() {
        return replica.hasEnoughInSync(bucket);
    }

    public Optional<Staged> object() {
        return object;
    }

    /// @return false when its client has given it up: then it must not begin
    public boolean begin() {
        return state.compareAndSet(State.WAITING, State.BEGUN);
    }

    /// @return false when it has begun: then nobody knows what becomes of it
    boolean giveUp() {
        return state.compareAndSet(State.WAITING, State.GIVEN_UP);
    }

    public void accept(ObjectVersion given) {
        version = Optional.of(given);
        accepted = object.map(staged -> new Accepted(staged.record(given)));
    }

    private static Optional<byte[]> attachedBytes(Staged.Content content) {
        return content instanceof Staged.Content.InMemory few && few.bytes().length <= LARGEST_ATTACHED
                ? Optional.of(few.bytes())
                : Optional.empty();
    }

    public Optional<Accepted> accepted() {
        return accepted;
    }

    public Optional<ObjectVersion> version() {
        return version;
    }

    /// Some of its bytes go to another replica now, of [System#nanoTime]. On any thread.
    public void moved(long now) {
        lastMoved = now;
    }

    long lastMoved() {
        return object.map(staged -> Math.max(lastMoved, staged.lastTaken())).orElse(lastMoved);
    }

    /// Why this target's own drive could not store it.
    public void refused(StoreException why) {
        refusal = Optional.of(why);
    }

    Optional<StoreException> refusal() {
        return refusal;
    }

    public CompletableFuture<Action.Outcome> outcome() {
        return outcome;
    }
}
