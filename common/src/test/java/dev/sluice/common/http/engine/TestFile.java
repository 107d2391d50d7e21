package dev.sluice.common.http.engine;

import dev.sluice.common.http.FileSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;

/// A file that counts its closings and prepares its windows as a test says.
final class TestFile implements FileSource {
    final AtomicInteger closings = new AtomicInteger();
    /// `offset+length` of every window asked for.
    final List<String> prepared = Collections.synchronizedList(new ArrayList<>());

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

    /// Prepares by what `preparation` makes of a window's offset.
    static TestFile cold(Path path, LongFunction<CompletionStage<?>> preparation) throws IOException {
        return new TestFile(path, false, preparation);
    }

    static TestFile cold(Path path) throws IOException {
        return cold(path, _ -> CompletableFuture.runAsync(() -> {}));
    }

    static byte[] write(Path path, int size) throws IOException {
        var bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Files.write(path, bytes);
        return bytes;
    }

    @Override
    public FileChannel channel() {
        if (closings.get() > 0) {
            throw new AssertionError("used after it was closed");
        }
        return channel;
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
    public void close() {
        closings.incrementAndGet();
        try {
            channel.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
