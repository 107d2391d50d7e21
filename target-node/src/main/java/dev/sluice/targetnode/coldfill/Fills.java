package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.BackendCalls;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootClock;
import dev.sluice.targetnode.storage.change.KeyLocks;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// The fills under way, and the writes that overrule them.
///
/// - A fill may store what it fetched only when no write of its key was under way at any time since it asked the
///   cloud: else the old version could come back over the new one.
/// - Nobody joins a fill once a write of its key has begun, and none is begun during one: a reader that comes later
///   must not be given what was there before.
/// - Writes of one key happen one after the other, so that the cloud and the copy here end with the same one.
/// - After a write whose outcome at the cloud is not known, nothing is stored of its key for a
///   minute ([UnknownWrites]).
public final class Fills {
    record Key(long bucketId, String key) {}

    /// @param started whether it began with this request
    record Joined(Fill fill, boolean started) {}

    private final Map<Key, Fill> joinable = new HashMap<>();
    private final Set<Fill> running = new HashSet<>();
    private final Set<Key> writing = new HashSet<>();
    private final KeyLocks writers = new KeyLocks();
    private final UnknownWrites unknown;

    public Fills() {
        this(new UnknownWrites(new BootClock()));
    }

    Fills(UnknownWrites unknown) {
        this.unknown = unknown;
    }

    /// Writes of another life of this target may still reach the cloud.
    public void begunUnsettled() {
        unknown.all();
    }

    /// Whether keys are stored at all.
    public boolean stores() {
        return !unknown.containsAll();
    }

    /// For how long nothing is stored of a key, whatever the cloud says.
    Duration unsettled(Key key) {
        return unknown.left(key);
    }

    /// Whether no write may still reach the cloud.
    public synchronized boolean isSettled() {
        return writing.isEmpty() && unknown.isEmpty();
    }

    /// The fill that is under way, or a new one.
    ///
    /// @param start makes and starts a fill
    /// @return empty while the key is being written, or may be: only the cloud knows what there is
    Optional<Joined> joinOrStart(Key key, Supplier<Fill> start) {
        return joinOrTry(key, () -> Optional.of(start.get()));
    }

    /// @param start makes and starts a fill, or does not
    /// @return empty while the key is being written, or may be, or when none was started
    synchronized Optional<Joined> joinOrTry(Key key, Supplier<Optional<Fill>> start) {
        if (isWritten(key)) {
            return Optional.empty();
        }
        var present = joinable.get(key);
        if (present != null) {
            return Optional.of(new Joined(present, false));
        }
        var started = start.get();
        started.ifPresent(fill -> {
            joinable.put(key, fill);
            running.add(fill);
        });
        return started.map(fill -> new Joined(fill, true));
    }

    synchronized void ended(Key key, Fill fill) {
        joinable.remove(key, fill);
        running.remove(fill);
    }

    /// The cloud has another version by now: this one serves those who follow it, and nobody else.
    synchronized void outdated(Key key, Fill fill) {
        fill.supersede();
        joinable.remove(key, fill);
    }

    /// Those that can be joined, of one bucket.
    synchronized Map<Key, Fill> underWay(long bucketId) {
        var found = new HashMap<>(joinable);
        found.keySet().removeIf(name -> name.bucketId() != bucketId);
        return found;
    }

    /// Whether a reader that comes now would follow a fill, or learn that the key is being written.
    synchronized boolean isUnderWay(Key key) {
        return joinable.containsKey(key) || isWritten(key);
    }

    private boolean isWritten(Key key) {
        return writing.contains(key) || unknown.contains(key);
    }

    synchronized int count() {
        return running.size();
    }

    /// From before the cloud is told of a write until the local copy is settled.
    final class Write implements AutoCloseable {
        private final Key key;
        private final KeyLocks.Held turn;

        private Write(Key key) {
            this.key = key;
            this.turn = writers.lock(new ObjectKey(key.bucketId, key.key));
            begin(key);
        }

        /// Makes the call that writes the cloud. Before it, no copy of the key is left here.
        <T> T toCloud(Supplier<T> call) {
            var attempts = new BackendCalls.Attempts();
            boolean known = false;
            try {
                var result = attempts.during(call);
                known = true;
                return result;
            } catch (StoreException failure) {
                known = isRefusal(failure);
                throw failure;
            } finally {
                if (!known || attempts.lost()) {
                    unknown.add(key);
                }
            }
        }

        /// Whether what the cloud has now stays until the next write here.
        boolean mayStore() {
            return !unknown.contains(key);
        }

        @Override
        public void close() {
            end(key);
            turn.close();
        }
    }

    /// The cloud's word that it does not carry out a write.
    private static boolean isRefusal(StoreException failure) {
        return failure instanceof StoreException.PreconditionFailed
                || failure instanceof StoreException.BackendDenied
                || failure instanceof StoreException.BadDigest
                || failure instanceof StoreException.InvalidArgument
                || failure instanceof StoreException.NoSuchKey
                || failure instanceof StoreException.NoSuchBucket;
    }

    /// Waits for other writes of the key.
    Write write(Key key) {
        return new Write(key);
    }

    private synchronized void begin(Key key) {
        writing.add(key);
        Optional.ofNullable(joinable.remove(key)).ifPresent(Fill::supersede);
    }

    private synchronized void end(Key key) {
        writing.remove(key);
    }
}
