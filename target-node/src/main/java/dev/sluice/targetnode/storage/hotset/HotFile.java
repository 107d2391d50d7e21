package dev.sluice.targetnode.storage.hotset;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.store.StoreException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// One use of the file of an open object. Offsets are in that file.
final class HotFile implements FileSource {
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

    private final HotObject object;
    private final boolean othersHaveIt;
    private final Runnable whenDamaged;
    private final Runnable whenClosed;
    private volatile Look look = new Look(System.nanoTime(), 0, 0);

    /// @param othersHaveIt whether bytes that cannot be read are as wrong ones: others make them again
    /// @param whenDamaged run when its bytes are found wrong; must not block
    /// @param whenClosed run when this is closed
    HotFile(HotObject object, boolean othersHaveIt, Runnable whenDamaged, Runnable whenClosed) {
        this.object = object;
        this.othersHaveIt = othersHaveIt;
        this.whenDamaged = whenDamaged;
        this.whenClosed = whenClosed;
    }

    @Override
    public boolean ready(long offset, int length) {
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
    public CompletableFuture<Void> prepare(long offset, int length) {
        return telling(object.prepare(offset, length));
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
    public CompletableFuture<Void> fetch(long offset, ByteBuffer into) {
        return telling(object.drive().startStep(() -> object.readGood(offset, into)));
    }

    private CompletableFuture<Void> telling(CompletableFuture<Void> work) {
        return work.whenComplete((_, failure) -> {
            if (failure != null && isBad(Await.reason(failure))) {
                whenDamaged.run();
            }
        });
    }

    private boolean isBad(Throwable why) {
        return why instanceof StoreException.Damaged || (othersHaveIt && why instanceof StoreException.DriveFailed);
    }

    @Override
    public void close() {
        whenClosed.run();
    }
}
