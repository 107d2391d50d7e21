package dev.sluice.targetnode.storage.hotset;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/// One use of a stored object; to be closed once, on any thread. No byte of it is to be sent that [#copy], [#send]
/// or [#fetch] did not hand over. What it was opened with stays readable when the object is replaced or deleted.
public final class StoredObject implements FileSource {
    /// A look lasts this long, so that the steps of an answer that is sent at once share it.
    private static final long LOOK_NANOS = 2_000_000;

    /// When the file was as it is to be, and what of it was found good and in memory since.
    private record Look(long nanos, long from, long to) {
        boolean isFresh(long now) {
            return now - nanos < LOOK_NANOS;
        }

        boolean has(long offset, int length) {
            return offset >= from && offset + length <= to;
        }
    }

    private final ObjectKey key;
    private final HotObject object;
    private final Runnable whenDamaged;
    private final Optional<GatheredBytes> gathered;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Look look = new Look(System.nanoTime(), 0, 0);

    StoredObject(ObjectKey key, HotObject object, Runnable whenDamaged) {
        this(key, object, whenDamaged, Optional.empty());
    }

    private StoredObject(ObjectKey key, HotObject object, Runnable whenDamaged, Optional<GatheredBytes> gathered) {
        this.key = key;
        this.object = object;
        this.whenDamaged = whenDamaged;
        this.gathered = gathered;
    }

    /// Whether its file has all of its bytes, and not a slice of them. What it has not is to be [#gathered].
    public boolean isWhole() {
        return object.record().fileSize() == object.record().size();
    }

    /// Whether it is gathered and was replaced since: its slices may have gone while they were opened. Blocks.
    public boolean hasLostSlices() {
        var drive = object.drive();
        return !isWhole()
                && !drive.call(() -> drive.store().row(key.bucketId(), key.key()))
                        .equals(Optional.of(record().version()));
    }

    /// The same use of it, whose bytes come from there.
    ///
    /// @param from closed with this
    public StoredObject gathered(GatheredBytes from) {
        return new StoredObject(key, object, whenDamaged, Optional.of(from));
    }

    /// Says which bytes will be read, where they are not all: they may have to be asked for.
    public void willRead(long offset, long length) {
        gathered.ifPresent(bytes -> bytes.expect(offset, offset + length));
    }

    public ObjectRecord record() {
        return object.record();
    }

    /// The id of the drive it is read from.
    public String drive() {
        return object.drive().id();
    }

    /// The drive itself.
    public Drive readFrom() {
        return object.drive();
    }

    public ObjectKey key() {
        return key;
    }

    /// When the cloud last said that it has the same, in milliseconds since 1970. Never blocks.
    ///
    /// @return empty when that is to be looked up first
    public Optional<Long> agreedMillis() {
        return object.agreedMillis();
    }

    /// Looks it up. An object that was never compared since it was stored was what the cloud had then.
    public long findAgreedMillis() {
        var known = agreedMillis();
        if (known.isPresent()) {
            return known.get();
        }
        var drive = object.drive();
        var found = drive.call(() -> drive.agreements().find(key, record().version()));
        object.agreedAtLeast(found.orElse(record().createdMillis()));
        return object.agreedMillis().orElseThrow();
    }

    /// The whole object, verified, when it is small and in memory. Never to be modified; stays valid after [#close].
    public Optional<ByteBuffer> bytes() {
        return isWhole() ? object.bytes() : Optional.empty();
    }

    @Override
    public boolean ready(long offset, int length) {
        if (!isWhole()) {
            return false;
        }
        long now = System.nanoTime();
        var before = look;
        boolean fresh = before.isFresh(now);
        if (fresh && before.has(offset, length)) {
            return true;
        }
        boolean ready = fresh ? object.isVerified(offset, length) : object.ready(offset, length);
        long end = ready ? offset + length : offset;
        look = new Look(fresh ? before.nanos : now, offset, end);
        return ready;
    }

    @Override
    public CompletionStage<?> prepare(long offset, int length) {
        return isWhole() ? telling(object.prepare(offset, length)) : bytesFrom().prepare(offset);
    }

    @Override
    public boolean copy(long offset, ByteBuffer into) {
        return ready(offset, into.remaining()) && object.copy(offset, into);
    }

    @Override
    public long send(long offset, int length, int socket) {
        return ready(offset, length) ? object.file().sendAtOnce(offset, length, socket) : 0;
    }

    @Override
    public CompletionStage<?> fetch(long offset, ByteBuffer into) {
        if (!isWhole()) {
            return bytesFrom().fetch(offset, into);
        }
        return telling(object.drive().startStep(() -> object.readGood(offset, into)));
    }

    private GatheredBytes bytesFrom() {
        return gathered.orElseThrow(
                () -> new IllegalStateException("only a slice of '%s' is here".formatted(key.key())));
    }

    private CompletableFuture<Void> telling(CompletableFuture<Void> work) {
        return work.whenComplete((_, failure) -> {
            if (failure instanceof StoreException.Damaged) {
                whenDamaged.run();
            }
        });
    }

    /// Verifies and copies bytes, as far as the object has so many; blocks, for virtual threads.
    ///
    /// @throws StoreException.Damaged when they are not the ones that were written
    public void read(long offset, ByteBuffer into) {
        long end = Math.min(record().size(), offset + into.remaining());
        into.limit(into.position() + (int) Math.max(0, end - offset));
        if (into.hasRemaining()) {
            Await.whole(fetch(offset, into).toCompletableFuture());
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            gathered.ifPresent(GatheredBytes::close);
            object.release();
        }
    }
}
