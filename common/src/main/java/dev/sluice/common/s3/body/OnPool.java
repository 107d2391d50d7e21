package dev.sluice.common.s3.body;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A digest that is computed on a pool: several pieces in a row on the same thread, for a change of threads costs as
/// much as a small piece, but not so many that others wait long.
final class OnPool implements PieceConsumer {
    private static final int IN_A_ROW = 16;

    private final Function<ByteBuffer, CompletableFuture<Void>> digest;
    private final Executor pool;
    private @Nullable Thread runner;
    private int row;

    /// @param digest may block
    OnPool(Function<ByteBuffer, CompletableFuture<Void>> digest, Executor pool) {
        this.digest = digest;
        this.pool = pool;
    }

    @Override
    public CompletableFuture<Void> take(ByteBuffer piece) {
        if (Thread.currentThread().equals(runner) && row < IN_A_ROW) {
            row++;
            return digest.apply(piece);
        }
        return CompletableFuture.completedFuture(piece).thenComposeAsync(this::first, pool);
    }

    private CompletableFuture<Void> first(ByteBuffer piece) {
        runner = Thread.currentThread();
        row = 1;
        return digest.apply(piece);
    }
}
