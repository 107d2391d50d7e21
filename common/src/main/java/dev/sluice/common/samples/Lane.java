package dev.sluice.common.samples;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The stream of one target. It is opened at once, while others are used.
final class Lane implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final Node node;
    private final List<Integer> shards;
    private final CompletableFuture<SampleStream> opening;
    private Optional<CompletableFuture<SampleFrame>> coming = Optional.empty();
    private long left;

    /// @param shards whose samples come by it, by their places in the batch
    /// @param samples how many come
    Lane(Node node, List<Integer> shards, long samples, Supplier<SampleStream> opened) {
        this.node = node;
        this.shards = List.copyOf(shards);
        this.left = samples;
        this.opening = onThread(() -> {
            var stream = opened.get();
            stream.start();
            return stream;
        });
    }

    private static <T> CompletableFuture<T> onThread(Callable<T> work) {
        var done = new CompletableFuture<T>();
        Thread.ofVirtual().name("samples").start(() -> {
            try {
                done.complete(work.call());
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    Node node() {
        return node;
    }

    List<Integer> shards() {
        return shards;
    }

    /// The next frame, of a shard by its place in the batch.
    ///
    /// @return empty when none has come in this time
    /// @throws SampleStream.Broken when it could not be opened, or has ended
    Optional<SampleFrame> next(Duration patience) throws IOException {
        var opened = within(opening, patience);
        if (opened.isEmpty()) {
            return Optional.empty();
        }
        var stream = opened.get();
        if (coming.isEmpty() && stream.isReady()) {
            return Optional.of(stream.next());
        }
        var frame = coming.orElseGet(() -> onThread(stream::next));
        coming = Optional.of(frame);
        var come = within(frame, patience);
        if (come.isPresent()) {
            coming = Optional.empty();
        }
        return come;
    }

    /// Once after each frame that was returned.
    void send(long skip, ByteSink to) throws IOException {
        opening.join().send(skip, to);
    }

    /// One of its samples has been sent.
    void sent() {
        left--;
    }

    private static <T> Optional<T> within(CompletableFuture<T> work, Duration patience) throws IOException {
        try {
            return Optional.of(work.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } catch (TimeoutException _) {
            return Optional.empty();
        } catch (ExecutionException failure) {
            var reason = Await.reason(failure);
            if (!(reason instanceof StoreException || reason instanceof IOException)) {
                LOG.error("samples are not had", reason);
            }
            throw new SampleStream.Broken(String.valueOf(reason.getMessage()), reason);
        }
    }

    /// Never throws, nor waits.
    @Override
    public void close() {
        boolean whole = left == 0 && coming.isEmpty();
        var _ = opening.thenAccept(stream -> {
            if (whole) {
                Thread.ofVirtual().name("samples").start(stream::finish);
            } else {
                stream.close();
            }
        });
    }
}
