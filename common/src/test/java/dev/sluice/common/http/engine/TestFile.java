package dev.sluice.common.http.engine;

import dev.sluice.common.http.FileSource;
import dev.sluice.testing.Bytes;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/// A file that counts its closings, prepares its windows and loses them from memory as a test says.
final class TestFile implements FileSource {
    final AtomicInteger closings = new AtomicInteger();
    /// `offset+length` of every window asked for.
    final List<String> prepared = Collections.synchronizedList(new ArrayList<>());
    /// The same of what was not in memory when its turn came.
    final List<String> fetched = Collections.synchronizedList(new ArrayList<>());
    /// Where what was prepared leaves memory before it is sent; what comes instead is wrong.
    volatile LongPredicate leaving = _ -> false;
    volatile LongFunction<CompletionStage<?>> fetching = _ -> CompletableFuture.runAsync(() -> {});

    private volatile Runnable whenClosed = () -> {};

    private final FileChannel channel;
    private final LongFunction<CompletionStage<?>> preparation;
    private final boolean ready;

    private TestFile(Path path, boolean ready, LongFunction<CompletionStage<?>> preparation) throws IOException {
        this.channel = FileChannel.open(path, StandardOpenOption.READ);
        this.ready = ready;
        this.preparation = preparation;
    }

    static TestFile ready(Path path) throws IOException {
        return new TestFile(path, true, _ -> {
            throw new AssertionError("ready already");
        });
    }

    /// Run with each closing.
    TestFile whenClosed(Runnable run) {
        whenClosed = run;
        return this;
    }

    /// Prepares by what `preparation` makes of a window's offset.
    static TestFile cold(Path path, LongFunction<CompletionStage<?>> preparation) throws IOException {
        return new TestFile(path, false, preparation);
    }

    static TestFile cold(Path path) throws IOException {
        return cold(path, _ -> CompletableFuture.runAsync(() -> {}));
    }

    static byte[] write(Path path, int size) throws IOException {
        var bytes = Bytes.random(size, size);
        Files.write(path, bytes);
        return bytes;
    }

    @Override
    public boolean ready(long offset, int length) {
        return ready;
    }

    @Override
    public CompletionStage<?> prepare(long offset, int length) {
        prepared.add(offset + "+" + length);
        return preparation.apply(offset);
    }

    @Override
    public boolean copy(long offset, ByteBuffer into) {
        if (leaving.test(offset)) {
            into.duplicate().put(new byte[into.remaining()]);
            return false;
        }
        return read(offset, into);
    }

    /// No socket ever takes it: the engine copies then.
    @Override
    public long send(long offset, int length, int socket) {
        return 0;
    }

    @Override
    public CompletionStage<?> fetch(long offset, ByteBuffer into) {
        fetched.add(offset + "+" + into.remaining());
        return fetching.apply(offset).thenRun(() -> {
            if (!read(offset, into)) {
                throw new CompletionException(new EOFException("the file is too short"));
            }
        });
    }

    private boolean read(long offset, ByteBuffer into) {
        if (closings.get() > 0) {
            throw new AssertionError("used after it was closed");
        }
        try {
            long at = offset;
            for (int read = 0; into.hasRemaining() && read >= 0; at += read) {
                read = channel.read(into, at);
            }
            return !into.hasRemaining();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        closings.incrementAndGet();
        whenClosed.run();
        try {
            channel.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
