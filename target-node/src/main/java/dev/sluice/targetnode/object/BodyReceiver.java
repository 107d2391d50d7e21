package dev.sluice.targetnode.object;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.body.BodyWindow;
import dev.sluice.common.s3.body.PieceConsumer;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/// Takes a body in. The thread that receives it checks its framing and signature; the drive and each digest take the
/// pieces behind it side by side, a window at most. A short body, or one beside as many others as there are processors,
/// is digested on that thread while the drive writes: waking others would take longer.
public final class BodyReceiver {
    private static final int FEW = 256 << 10;
    private static final int MOST_SIDE_BY_SIDE = Runtime.getRuntime().availableProcessors();
    private static final long WINDOW = 4 << 20;

    private final Executor digests;
    private final AtomicInteger coming = new AtomicInteger();

    /// @param digests a pool of about one thread per core, for costly digests
    public BodyReceiver(Executor digests) {
        this.digests = digests;
    }

    /// @param room takes room for so many bytes, which come next; on the caller's thread, which it may keep waiting
    /// @param destination where the bytes go
    /// @param sums what the destination has summed, of that many bytes
    /// @throws StoreException when the sender breaks off, its promises about the bytes do not hold, or the drive
    ///     fails; what was written so far must then be thrown away
    public ReceivedDigests.Received take(
            UploadBody body,
            WriteAttributes attributes,
            LongConsumer room,
            PieceConsumer destination,
            LongFunction<BlockSums> sums) {
        boolean few = body.length() >= 0 && body.length() <= FEW;
        boolean many = coming.incrementAndGet() > MOST_SIDE_BY_SIDE;
        try (var received = ReceivedDigests.ofStream(attributes, body.length())) {
            long size = few || many
                    ? inTurn(body.bytes(), room, destination, received)
                    : sideBySide(body.bytes(), room, destination, received.each(digests));
            return received.check(size, sums.apply(size), body.trailers().get());
        } catch (IOException e) {
            throw new StoreException.IncompleteBody("The body broke off: " + e.getMessage());
        } finally {
            coming.decrementAndGet();
        }
    }

    private static long inTurn(ByteSource body, LongConsumer room, PieceConsumer destination, ReceivedDigests received)
            throws IOException {
        long size = 0;
        for (var bytes = body.next(); bytes.hasRemaining(); bytes = body.next()) {
            room.accept(bytes.remaining());
            var written = destination.take(bytes.duplicate());
            Await.whole(CompletableFuture.allOf(written, received.adding(bytes)));
            size += bytes.remaining();
        }
        return size;
    }

    private static long sideBySide(
            ByteSource body, LongConsumer room, PieceConsumer destination, List<PieceConsumer> digests)
            throws IOException {
        var consumers = new ArrayList<>(digests);
        consumers.add(destination);
        long size = 0;
        try (var window = new BodyWindow(WINDOW, consumers)) {
            for (var bytes = body.next(); bytes.hasRemaining(); bytes = body.next()) {
                room.accept(bytes.remaining());
                size += bytes.remaining();
                window.add(bytes, body.keep());
            }
            window.finish();
        }
        return size;
    }
}
