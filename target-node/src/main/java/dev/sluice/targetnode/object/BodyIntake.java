package dev.sluice.targetnode.object;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongFunction;

/// Takes a body in: while the drive writes a buffer, the same bytes are digested.
final class BodyIntake {
    private BodyIntake() {}

    /// Where the bytes go; a buffer is used until its future completes.
    @FunctionalInterface
    interface Writing {
        CompletableFuture<Void> write(ByteBuffer bytes);
    }

    /// @param sums what the destination has summed, of that many bytes
    /// @throws StoreException when the sender breaks off, its promises about the bytes do not hold, or the drive
    ///     fails; what was written so far must then be thrown away
    static ReceivedDigests.Received take(
            Incoming body, WriteAttributes attributes, Writing destination, LongFunction<BlockSums> sums) {
        try (var digests = ReceivedDigests.ofStream(attributes, body.length())) {
            long size = 0;
            for (var bytes = body.bytes().next();
                    bytes.hasRemaining();
                    bytes = body.bytes().next()) {
                var written = destination.write(bytes.duplicate());
                await(CompletableFuture.allOf(written, digests.adding(bytes)));
                size += bytes.remaining();
            }
            return digests.check(size, sums.apply(size), body.trailers().get());
        } catch (IOException e) {
            throw new StoreException.IncompleteBody("The body broke off: " + e.getMessage());
        }
    }

    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof StoreException failure ? failure : e;
        }
    }
}
