package dev.sluice.common.samples;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/// The stream of one target. It is opened at once, while others are used.
final class Lane implements AutoCloseable {
    private final Node node;
    private final List<Integer> shards;
    private final CompletableFuture<SampleStream> opening = new CompletableFuture<>();

    /// @param shards whose samples come by it
    Lane(Node node, List<Integer> shards, Supplier<SampleStream> opened) {
        this.node = node;
        this.shards = List.copyOf(shards);
        Thread.ofVirtual().name("samples").start(() -> {
            try {
                opening.complete(opened.get());
            } catch (Throwable failure) {
                opening.completeExceptionally(failure);
            }
        });
    }

    Node node() {
        return node;
    }

    List<Integer> shards() {
        return shards;
    }

    /// @throws SampleStream.Broken when it could not be opened, or has ended
    SampleFrame next() throws IOException {
        return stream().next();
    }

    void send(long skip, ByteSink to) throws IOException {
        stream().send(skip, to);
    }

    private SampleStream stream() throws IOException {
        try {
            return opening.get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof StoreException || failure.getCause() instanceof IOException) {
                throw new SampleStream.Broken(String.valueOf(failure.getCause().getMessage()), failure.getCause());
            }
            throw new IllegalStateException("a bug", failure.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    /// Never throws, nor waits.
    @Override
    public void close() {
        var _ = opening.whenComplete((stream, _) -> {
            if (stream != null) {
                stream.close();
            }
        });
    }
}
