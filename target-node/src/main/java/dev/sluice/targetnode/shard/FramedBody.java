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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Sends the bytes of a frame. A drive that does not answer is not waited for: whatever it still reads then, it reads
/// from a file that stays open and into memory that is nobody else's.
final class FramedBody {
    private static final int PIECE = 256 << 10;
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final FileSource file;
    private final Duration longest;
    private CompletableFuture<?> reading = CompletableFuture.completedFuture(true);

    /// @param longest how long one read may take
    FramedBody(FileSource file, Duration longest) {
        this.file = file;
        this.longest = longest;
    }

    /// @param body closed at the end
    /// @throws SampleStream.Broken when the drive does not give them, or not what was written
    static void send(ResponseBody body, long skip, ByteSink to) throws IOException {
        switch (body) {
            case ResponseBody.Bytes(var bytes) ->
                to.write(bytes.slice(bytes.position() + (int) skip, (int) (bytes.remaining() - skip)));
            case ResponseBody.FileRange range ->
                new FramedBody(range.file(), LONGEST).send(range.offset() + skip, range.offset() + range.length(), to);
            case ResponseBody.Streamed _, ResponseBody.LengthOnly _ ->
                throw new IllegalArgumentException("no frame has such a body: " + body);
        }
    }

    /// To be called once, for it closes the file.
    void send(long from, long end, ByteSink to) throws IOException {
        try {
            long at = from;
            long prepared = from;
            while (at < end) {
                if (at == prepared) {
                    int window = (int) Math.min(FileSource.WINDOW, end - at);
                    await(file.prepare(at, window));
                    prepared += window;
                }
                long here = at;
                at += to.write((int) Math.min(PIECE, prepared - at), into -> read(here, into));
            }
        } finally {
            var _ = reading.whenComplete((_, _) -> file.close());
        }
    }

    /// What was prepared may have left the page cache.
    private void read(long offset, ByteBuffer into) throws IOException {
        if (!into.isDirect() || !file.copy(offset, into)) {
            var own = ByteBuffer.allocate(into.remaining()); // the receiver's is used again when this gives up
            await(file.fetch(offset, own));
            into.put(own.flip());
        }
    }

    private void await(CompletionStage<?> read) throws IOException {
        reading = read.toCompletableFuture();
        try {
            if (Await.within(longest, reading.thenApply(_ -> true)).isEmpty()) {
                throw new IOException("the drive does not answer");
            }
        } catch (StoreException | IOException failure) {
            throw new SampleStream.Broken(String.valueOf(failure.getMessage()), failure);
        }
    }
}
