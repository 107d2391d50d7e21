package dev.sluice.targetnode.storage.hotset;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.SliceOf;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/// One use of a stored object; to be closed once, on any thread. No byte of it is to be sent that [#copy], [#send]
/// or [#fetch] did not hand over. What it was opened with stays readable when the object is replaced or deleted.
public final class StoredObject implements FileSource {
    private final ObjectKey key;
    private final HotObject object;
    private final Runnable whenDamaged;
    private final Optional<GatheredBytes> gathered;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final HotFile file;

    /// Its own slice is not what was written: others make it.
    private volatile boolean withoutOwn;

    /// Whether nothing that will be read is still to be asked for elsewhere.
    private volatile boolean opened;

    private volatile long end;

    StoredObject(ObjectKey key, HotObject object, Runnable whenDamaged) {
        this(key, object, whenDamaged, Optional.empty());
    }

    private StoredObject(ObjectKey key, HotObject object, Runnable whenDamaged, Optional<GatheredBytes> gathered) {
        this.key = key;
        this.object = object;
        this.whenDamaged = whenDamaged;
        this.gathered = gathered;
        this.file = new HotFile(object, object.record().slice().isPresent(), whenDamaged, this::close);
        this.end = object.record().size();
        this.opened = gathered.isEmpty();
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
        end = offset + length;
        if (place(offset, (int) Math.min(length, Integer.MAX_VALUE)) >= 0) {
            opened = true;
        }
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

    /// Where bytes are in its file: those of a block that it has, as a rule.
    ///
    /// @return negative when they are not there, or not together
    private long place(long offset, int length) {
        if (isWhole()) {
            return offset;
        }
        var code = record().slice().map(SliceOf::code);
        if (code.isEmpty() || withoutOwn) {
            return -1;
        }
        long block = offset / BlockSums.BLOCK;
        long within = offset % BlockSums.BLOCK;
        return code.get().position(block) == record().position() && within + length <= BlockSums.BLOCK
                ? code.get().stripe(block) * BlockSums.BLOCK + within
                : -1;
    }

    @Override
    public boolean ready(long offset, int length) {
        long place = place(offset, length);
        return place >= 0 && opened && file.ready(place, length);
    }

    @Override
    public CompletionStage<?> prepare(long offset, int length) {
        long place = place(offset, length);
        if (gathered.isEmpty() && place >= 0) {
            return file.prepare(place, length);
        }
        return opening(offset).thenCompose(_ -> prepareGathered(offset, place, length));
    }

    private CompletionStage<Void> prepareGathered(long offset, long place, int length) {
        return place < 0
                ? bytesFrom().prepare(offset).thenRun(() -> {})
                : file.prepare(place, length).exceptionallyCompose(failure -> {
                    requireOthers(failure);
                    return bytesFrom().prepare(offset).thenRun(() -> {});
                });
    }

    /// Before the first byte is sent it is seen that the rest can be had, of which the own slice says nothing.
    private CompletionStage<?> opening(long offset) {
        long next = (offset / BlockSums.BLOCK + 1) * BlockSums.BLOCK;
        return opened || next >= end
                ? CompletableFuture.completedFuture(null)
                : bytesFrom().prepare(place(offset, 1) < 0 ? offset : next).thenRun(() -> opened = true);
    }

    /// Whether its own slice can be done without.
    private void requireOthers(Throwable failure) {
        var why = Await.reason(failure);
        if (!(why instanceof StoreException.Damaged || why instanceof StoreException.DriveFailed)) {
            throw new CompletionException(why);
        }
        withoutOwn = true;
    }

    @Override
    public boolean copy(long offset, ByteBuffer into) {
        long place = place(offset, into.remaining());
        return place >= 0 && file.copy(place, into);
    }

    @Override
    public long send(long offset, int length, int socket) {
        long place = place(offset, length);
        return place < 0 ? 0 : file.send(place, length, socket);
    }

    @Override
    public CompletionStage<?> fetch(long offset, ByteBuffer into) {
        long place = place(offset, into.remaining());
        if (place < 0) {
            return bytesFrom().fetch(offset, into);
        }
        int start = into.position();
        var fetched = file.fetch(place, into);
        return gathered.isEmpty()
                ? fetched
                : fetched.exceptionallyCompose(failure -> {
                    requireOthers(failure);
                    return bytesFrom().fetch(offset, into.position(start)).thenRun(() -> {});
                });
    }

    private GatheredBytes bytesFrom() {
        return gathered.orElseThrow(
                () -> new IllegalStateException("only a slice of '%s' is here".formatted(key.key())));
    }

    /// The bytes of its file, whether they are all of the object's or a slice. Its end closes this.
    public FileSource slice() {
        return file;
    }

    @Override
    public double shortage() {
        return gathered.map(GatheredBytes::shortage).orElse(0.0);
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
