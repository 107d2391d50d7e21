package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.targetnode.storage.slots.Staged;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/// Clients' reads and writes of keys that this target is the primary of. A write is judged on the committed row under
/// the key's gate, handed to the slot's core, and answered with what the core says.
public final class ClientWrites implements AutoCloseable {
    /// How long a client waits for writes before its own, or for other replicas that do nothing for it.
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /// For other replicas that take its bytes.
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Staging staging;
    private final Primaries primaries;
    private final Duration patience;
    private final KeyGates gates = new KeyGates();
    private final AtomicLong tickets = new AtomicLong();
    private final Map<Long, PendingWrite> byTicket = new ConcurrentHashMap<>();
    private final Map<ObjectVersion, PendingWrite> byVersion = new ConcurrentHashMap<>();

    /// Finds the drive of this target that is the primary of a key's slot.
    public interface Primaries {
        Optional<LocalReplica> of(long bucketId, String key);
    }

    public ClientWrites(Staging staging, Primaries primaries) {
        this(staging, primaries, PATIENCE);
    }

    public ClientWrites(Staging staging, Primaries primaries, Duration patience) {
        this.staging = staging;
        this.primaries = primaries;
        this.patience = patience;
    }

    /// Never blocks.
    public boolean serves(long bucketId, String key) {
        return primaries
                .of(bucketId, key)
                .filter(replica -> replica.serves(replica.serving()))
                .isPresent();
    }

    /// @throws StoreException.Unavailable when this target may not answer for the key
    public Term term(long bucketId, String key) {
        return new Term(replica(bucketId, key));
    }

    private LocalReplica replica(long bucketId, String key) {
        return primaries
                .of(bucketId, key)
                .orElseThrow(() -> new StoreException.Unavailable(
                        "this target is not the primary of this key; the map of slots is changing"));
    }

    public ObjectRecord put(Term term, BucketRef bucket, String key, Staged object, WriteCheck check) {
        var write = new PendingWrite(term.replica(), Optional.of(object), bucket);
        var _ = write(term, bucket, key, check, write, false);
        return write.accepted().orElseThrow().record();
    }

    public boolean delete(Term term, BucketRef bucket, String key, WriteCheck check) {
        return write(term, bucket, key, check, new PendingWrite(term.replica(), Optional.empty(), bucket), true);
    }

    /// All in the term in which it came. Its client may have been told since that the outcome is unknown, and what was
    /// acknowledged after that must not be undone.
    ///
    /// @return whether there was something to write
    private boolean write(
            Term term, BucketRef bucket, String key, WriteCheck check, PendingWrite write, boolean deletion) {
        var loop = term.loop();
        var name = new ObjectKey(bucket.id(), key);
        boolean entered = false;
        boolean handedIn = false;
        try {
            term.require();
            term.requireInSync(bucket);
            gates.enter(name, patience);
            entered = true;
            if (!isWanted(term, bucket, key, check, deletion)) {
                return false;
            }
            long ticket = tickets.incrementAndGet();
            byTicket.put(ticket, write);
            var _ = write.outcome().whenComplete((_, _) -> {
                byTicket.remove(ticket);
                write.version().ifPresent(byVersion::remove);
                gates.leave(name);
                write.object().ifPresent(Staged::decided);
            });
            handedIn = true;
            loop.run(() -> begin(term, write, check, new Event.Write(ticket, name, deletion)));
            if (loop.isClosed()) {
                giveUp(write); // it ended before it was told of this write
            }
        } finally {
            if (!handedIn) {
                if (entered) {
                    gates.leave(name);
                }
                write.object().ifPresent(Staged::decided);
            }
        }
        await(write);
        return true;
    }

    /// Only in the term in which it was judged: another primary may have changed the row since. On the loop's thread.
    private void begin(Term term, PendingWrite write, WriteCheck check, Event.Write event) {
        if (write.hasEnoughInSync() && term.holds() && !check.isAbandoned() && write.begin()) {
            term.loop().handle(term.replica(), event);
        } else {
            answered(event.ticket(), Action.Outcome.FAILED);
        }
    }

    /// Judges on the committed row; nobody else changes it now. The right to judge is asked afterwards.
    private static boolean isWanted(Term term, BucketRef bucket, String key, WriteCheck check, boolean deletion) {
        var drive = term.drive();
        if (check.asks()) {
            var present = drive.call(() -> drive.store().present(bucket, key));
            term.require();
            check.check(present);
        }
        if (deletion) {
            boolean exists = drive.call(() -> drive.store().exists(bucket.id(), key));
            term.require();
            return exists;
        }
        return true;
    }

    private void await(PendingWrite write) {
        Action.Outcome outcome;
        try {
            outcome = patiently(write);
        } catch (TimeoutException _) {
            outcome = afterAll(write);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            outcome = afterAll(write);
        } catch (ExecutionException bug) {
            throw new IllegalStateException("a write ended without an outcome", bug);
        }
        switch (outcome) {
            case COMMITTED -> {}
            case FAILED ->
                throw write.refusal()
                        .orElseGet(() -> new StoreException.Unavailable(
                                write.version().isPresent()
                                        ? "the write was not stored: a replica could not take it; try again"
                                        : "the write was not begun: this target may not serve its key now, or is overloaded;"
                                                + " try again"));
            case UNKNOWN ->
                throw new StoreException.Unavailable(
                        "it is not known whether the write is stored: not every replica answered; try again");
        }
    }

    /// Waits on while other replicas take its bytes.
    private Action.Outcome patiently(PendingWrite write)
            throws InterruptedException, ExecutionException, TimeoutException {
        long began = System.nanoTime();
        while (true) {
            long moved = write.lastMoved();
            long waited = System.nanoTime() - Math.max(began, moved);
            try {
                return write.outcome().get(Math.max(0, patience.toNanos() - waited), TimeUnit.NANOSECONDS);
            } catch (TimeoutException late) {
                if (write.lastMoved() == moved || System.nanoTime() - began > LONGEST.toNanos()) {
                    throw late;
                }
            }
        }
    }

    /// What can be said of a write that nobody waits for any more.
    private static Action.Outcome afterAll(PendingWrite write) {
        return write.giveUp() ? Action.Outcome.FAILED : Action.Outcome.UNKNOWN;
    }

    /// Its loop ends.
    private static void giveUp(PendingWrite write) {
        write.outcome().complete(afterAll(write));
    }

    // ---- what cores say; on their loops' threads

    public void accepted(LocalReplica replica, long ticket, ObjectVersion version) {
        var write = byTicket.get(ticket);
        if (write == null) {
            throw new IllegalStateException("nobody waits for write " + ticket);
        }
        int position = replica.core().primaryPosition();
        write.accept(version);
        byVersion.put(version, write);
        write.object()
                .ifPresent(object -> staging.put(replica.loop(), new Slice(version, position), new Staging.Bytes() {
                    @Override
                    public Prepared prepared() throws IOException {
                        return object.prepare(
                                replica.loop().drive(),
                                write.accepted().orElseThrow().record().at(position));
                    }

                    @Override
                    public void drop() {} // the upload takes its staging file away

                    @Override
                    public void undo() {
                        object.drop();
                    }
                }));
    }

    public void answered(long ticket, Action.Outcome outcome) {
        var write = byTicket.get(ticket);
        if (write != null) {
            boolean isShort = outcome == Action.Outcome.COMMITTED && !write.hasEnoughInSync();
            write.outcome().complete(isShort ? Action.Outcome.UNKNOWN : outcome);
        }
    }

    /// This target's own drive could not store it.
    public void refused(LocalChanges.Failure failure) {
        pending(failure.version()).ifPresent(write -> write.refused(failure.why()));
    }

    /// The write that got this version, while it is not decided.
    public Optional<PendingWrite> pending(ObjectVersion version) {
        return Optional.ofNullable(byVersion.get(version));
    }

    /// A drive takes no part any more: nobody can say what became of its writes.
    public void abandon(DriveReplicas loop) {
        byTicket.values().stream().filter(write -> write.loop().equals(loop)).forEach(ClientWrites::giveUp);
    }

    @Override
    public void close() {
        byTicket.values().forEach(ClientWrites::giveUp);
    }
}
