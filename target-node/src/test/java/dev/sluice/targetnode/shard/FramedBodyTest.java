package dev.sluice.targetnode.shard;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.samples.SampleStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A drive that answers when nobody waits any more harms nobody.
@Timeout(30)
class FramedBodyTest {
    /// Its reads end when a test says so.
    private static final class SlowFile implements FileSource {
        private final CompletableFuture<Void> reading = new CompletableFuture<>();
        private final boolean prepared;
        private volatile Optional<ByteBuffer> target = Optional.empty();
        private boolean closed;

        SlowFile(boolean prepared) {
            this.prepared = prepared;
        }

        @Override
        public boolean ready(long offset, int length) {
            return false;
        }

        @Override
        public CompletionStage<?> prepare(long offset, int length) {
            return prepared ? CompletableFuture.completedFuture(null) : reading;
        }

        @Override
        public boolean copy(long offset, ByteBuffer into) {
            return false;
        }

        @Override
        public long send(long offset, int length, int socket) {
            return 0;
        }

        @Override
        public CompletionStage<?> fetch(long offset, ByteBuffer into) {
            target = Optional.of(into);
            return reading;
        }

        @Override
        public void close() {
            closed = true;
        }

        void answers() {
            target.ifPresent(into -> {
                while (into.hasRemaining()) {
                    into.put((byte) 7);
                }
            });
            reading.complete(null);
        }
    }

    private static final class DirectSink implements ByteSink {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(100);

        @Override
        public void write(ByteBuffer bytes) {
            throw new IllegalStateException("pieces are read when there is room");
        }

        @Override
        public int write(int most, Content content) throws IOException {
            content.read(buffer);
            return buffer.position();
        }
    }

    @Test
    void aReadThatIsGivenUpDoesNotWriteIntoTheReceiversMemory() {
        var file = new SlowFile(true);
        var sink = new DirectSink();
        assertThatThrownBy(() -> new FramedBody(file, Duration.ofMillis(10)).send(0, 100, sink))
                .isInstanceOf(SampleStream.Broken.class);
        assertThat(file.closed).as("while it is read").isFalse();
        file.answers();
        assertThat(file.closed).isTrue();
        for (int i = 0; i < 100; i++) {
            assertThat(sink.buffer.get(i)).isZero();
        }
    }

    @Test
    void aFileStaysOpenWhileItIsPrepared() {
        var file = new SlowFile(false);
        assertThatThrownBy(() -> new FramedBody(file, Duration.ofMillis(10)).send(0, 100, new DirectSink()))
                .isInstanceOf(SampleStream.Broken.class);
        assertThat(file.closed).isFalse();
        file.answers();
        assertThat(file.closed).isTrue();
    }

    @Test
    void whatTheDriveReadsIsSent() {
        var file = new SlowFile(true);
        var sink = new DirectSink();
        var sending = CompletableFuture.runAsync(() -> {
            try {
                new FramedBody(file, Duration.ofSeconds(20)).send(0, 100, sink);
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        });
        eventually(() -> file.target.isPresent());
        file.answers();
        sending.join();
        assertThat(sink.buffer.get(99)).isEqualTo((byte) 7);
        assertThat(file.closed).isTrue();
    }
}
