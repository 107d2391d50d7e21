package dev.sluice.common.s3.body;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// Takes the pieces of a body in order, one at a time: a digest, a drive, another node.
@FunctionalInterface
public interface PieceConsumer {
    /// Must not block: it may be called on the thread that completed the piece before.
    ///
    /// @param piece this consumer's own view of the bytes, which others read meanwhile
    /// @return completes when the bytes are no longer needed; only then comes the next piece
    CompletableFuture<Void> take(ByteBuffer piece);
}
