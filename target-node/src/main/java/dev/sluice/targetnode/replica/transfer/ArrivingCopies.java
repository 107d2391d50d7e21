package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.LocalChanges;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.peers.ReceivedContent;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Copies of objects that this target makes while the bytes come to the primaries of their keys ([ArrivingObjects]). A
/// prepared write that names one uses it, if it is the object; what no write has named for a minute goes.
final class ArrivingCopies {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivingCopies.class);

    /// That are being made. What is announced beyond is fetched when it is to be stored.
    private static final int AT_ONCE = 32;

    /// That wait for their writes: one more, and the oldest goes.
    private static final int WAITING = 64;

    private static final Duration KEPT = Duration.ofMinutes(1);

    /// Until the room of a copy that is gone can be used.
    private static final Duration FREED = Duration.ofSeconds(2);

    private static final Duration LOOK = Duration.ofMillis(100);

    private record Name(DriveReplicas loop, String name) {}

    private final class Copy {
        private final LocalChanges.KnownBucket bucket;
        private final int position;
        private final long size;
        private final CompletableFuture<ContentFetch> whole = new CompletableFuture<>();
        private volatile long moved;
        private volatile boolean waits = true;
        private volatile boolean unwanted;

        Copy(LocalChanges.KnownBucket bucket, Message.Arriving object, long now) {
            this.bucket = bucket;
            this.position = object.position();
            this.size = object.size();
            this.moved = now;
        }

        /// It ends with its next bytes, and nothing remains of it.
        void drop() {
            unwanted = true;
            var _ = whole.whenComplete((fetch, _) -> {
                if (fetch != null) {
                    close(fetch);
                }
            });
        }

        /// The bytes of the primary, while they are wanted.
        InputStream wanted(InputStream body) {
            return new FilterInputStream(body) {
                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    moved = nanos.getAsLong();
                    waits = true;
                    int count = super.read(into, offset, length);
                    waits = false;
                    moved = nanos.getAsLong();
                    if (unwanted) {
                        throw new IOException("the copy is not wanted any more");
                    }
                    return count;
                }
            };
        }
    }

    private final ReplicaParts parts;
    private final LongSupplier nanos;
    private final Map<Name, Copy> all = new ConcurrentHashMap<>();
    private final Semaphore turns = new Semaphore(AT_ONCE);
    private volatile long closed;

    ArrivingCopies(ReplicaParts parts, LongSupplier nanos) {
        this.parts = parts;
        this.nanos = nanos;
        this.closed = nanos.getAsLong() - FREED.toNanos() - 1;
    }

    /// Waits for nothing.
    void begin(DriveReplicas loop, Node primary, LocalChanges.KnownBucket bucket, Message.Arriving object) {
        if (!turns.tryAcquire()) {
            return;
        }
        var name = new Name(loop, object.name());
        var copy = new Copy(bucket, object, nanos.getAsLong());
        if (all.putIfAbsent(name, copy) != null) {
            turns.release();
            return;
        }
        dropOldest();
        parts.threads().execute(() -> make(name, primary, copy));
        if (loop.isOver()) {
            ended(loop); // perhaps only after it was asked to
        }
    }

    private void make(Name name, Node primary, Copy copy) {
        var drive = name.loop().drive();
        var work = Layout.work(parts.store().versions().next());
        var fetch = new ContentFetch(drive, copy.bucket.ref(), work, copy.bucket.durable());
        boolean whole = false;
        var query = "arriving=%s&position=%d".formatted(name.name(), copy.position);
        var patience = patience(copy.bucket.ref());
        try (var answer = ReceivedContent.of(
                parts.targets().content(PeerAddress.of(primary), query, patience.multipliedBy(2)), patience)) {
            drive.space().requireFits(copy.size);
            fetch.takeUnverified(copy.wanted(answer.body()), copy.size);
            whole = true;
        } catch (IOException | StoreException failure) {
            LOG.debug("bytes that come to {} are fetched later", primary.id(), failure);
        } finally {
            turns.release();
            if (whole) {
                copy.whole.complete(fetch);
            } else {
                all.remove(name, copy);
                copy.whole.completeExceptionally(new IOException("they did not come"));
                close(fetch);
            }
        }
    }

    /// A slice gets one block of so many that come to the primary; one of parity the last.
    private static Duration patience(BucketRef bucket) {
        return ReceivedContent.PATIENCE.multipliedBy(
                bucket.code().map(ErasureCode::data).orElse(1));
    }

    private void dropOldest() {
        var waiting = all.entrySet().stream()
                .filter(entry -> entry.getValue().whole.isDone())
                .toList();
        if (waiting.size() < WAITING) {
            return;
        }
        long now = nanos.getAsLong();
        waiting.stream()
                .max(Comparator.comparingLong(entry -> now - entry.getValue().moved))
                .ifPresent(oldest -> drop(oldest.getKey(), oldest.getValue()));
    }

    /// The copy for a write, if it is its object. While it is being made this waits, as long as its bytes go on as a
    /// fetch's would: all of them have come to the primary by now.
    Optional<ContentFetch> of(DriveReplicas loop, LocalChanges.KnownBucket bucket, String name, ObjectRecord record) {
        var copy = all.remove(new Name(loop, name));
        if (copy == null) {
            return Optional.empty();
        }
        var fetch = whole(copy);
        if (fetch.isPresent()
                && (copy.bucket.durable() != bucket.durable() || !fetch.get().isOf(record))) {
            close(fetch.get());
            return Optional.empty();
        }
        return fetch;
    }

    private Optional<ContentFetch> whole(Copy copy) {
        long asked = nanos.getAsLong();
        try {
            while (true) {
                try {
                    return Optional.of(copy.whole.get(LOOK.toMillis(), TimeUnit.MILLISECONDS));
                } catch (TimeoutException _) {
                    long now = nanos.getAsLong();
                    long silent = copy.waits ? Math.min(now - asked, now - copy.moved) : 0;
                    if (silent > ReceivedContent.PATIENCE.toNanos()) {
                        copy.drop();
                        return Optional.empty();
                    }
                }
            }
        } catch (ExecutionException _) {
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            copy.drop();
            return Optional.empty();
        }
    }

    /// What no write has named for long goes. To be called now and then.
    void sweep() {
        long now = nanos.getAsLong();
        dropAll((_, copy) -> copy.whole.isDone() && now - copy.moved > KEPT.toNanos());
    }

    /// A drive takes no part any more.
    void ended(DriveReplicas loop) {
        dropAll((name, _) -> name.loop().equals(loop));
    }

    interface Bringing {
        Staging.Bytes bytes() throws IOException;
    }

    /// Brings bytes that are to be stored. Where there is no room, copies that wait for their writes go first. What
    /// they had, and others that ended just now, is free a moment later.
    Staging.Bytes makingRoom(DriveReplicas loop, Bringing bringing) throws IOException {
        try {
            return bringing.bytes();
        } catch (StoreException.NoSpace full) {
            dropWaiting(loop);
            if (nanos.getAsLong() - closed > FREED.toNanos()) {
                throw full;
            }
        }
        for (long left = FREED.toMillis() / LOOK.toMillis(); ; left--) {
            LockSupport.parkNanos(LOOK.toNanos());
            boolean _ = loop.drive().call(() -> {
                loop.drive().space().refresh();
                return true;
            });
            try {
                return bringing.bytes();
            } catch (StoreException.NoSpace full) {
                if (left == 0) {
                    throw full;
                }
            }
        }
    }

    void dropWaiting(DriveReplicas loop) {
        dropAll((name, copy) -> name.loop().equals(loop) && copy.whole.isDone());
    }

    private void close(ContentFetch fetch) {
        closed = nanos.getAsLong();
        fetch.close();
    }

    private void dropAll(BiPredicate<Name, Copy> which) {
        all.forEach((name, copy) -> {
            if (which.test(name, copy)) {
                drop(name, copy);
            }
        });
    }

    private void drop(Name name, Copy copy) {
        if (all.remove(name, copy)) {
            copy.drop();
        }
    }
}
