package dev.sluice.targetnode.shard;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.samples.SampleStream;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/// Sends the bytes of a frame.
final class FramedBody {
    private static final int PIECE = 256 << 10;
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private FramedBody() {}

    /// @param body closed at the end
    /// @throws SampleStream.Broken when the drive does not give them, or not what was written
    static void send(ResponseBody body, long skip, ByteSink to) throws IOException {
        switch (body) {
            case ResponseBody.Bytes(var bytes) ->
                to.write(bytes.slice(bytes.position() + (int) skip, (int) (bytes.remaining() - skip)));
            case ResponseBody.FileRange range -> {
                try (var file = range.file()) {
                    send(file, range.offset() + skip, range.offset() + range.length(), to);
                }
            }
            case ResponseBody.Streamed _, ResponseBody.LengthOnly _ ->
                throw new IllegalArgumentException("no frame has such a body: " + body);
        }
    }

    private static void send(FileSource file, long from, long end, ByteSink to) throws IOException {
        long at = from;
        long prepared = from;
        while (at < end) {
            if (at == prepared) {
                int window = (int) Math.min(FileSource.WINDOW, end - at);
                await(file.prepare(at, window));
                prepared += window;
            }
            long here = at;
            at += to.write((int) Math.min(PIECE, prepared - at), into -> read(file, here, into));
        }
    }

    /// What was prepared may have left the page cache.
    private static void read(FileSource file, long offset, ByteBuffer into) throws IOException {
        if (!into.isDirect() || !file.copy(offset, into)) {
            await(file.fetch(offset, into));
        }
    }

    private static void await(CompletionStage<?> reading) throws IOException {
        try {
            if (Await.within(LONGEST, reading.toCompletableFuture().thenApply(_ -> true))
                    .isEmpty()) {
                throw new IOException("the drive does not answer");
            }
        } catch (StoreException | IOException failure) {
            throw new SampleStream.Broken(String.valueOf(failure.getMessage()), failure);
        }
    }
}
