package dev.sluice.common.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.http.ByteSource;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BodyWindowTest {
    private static final int LIMIT = 64 << 10;
    private static final int LARGEST = 20_000;

    private final ExecutorService threads = Executors.newFixedThreadPool(4);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /// Pieces of random bytes, which are spoilt as soon as they may be.
    private static final class Pieces {
        private final Random random;
        private final int count;
        private final Hasher all = Hasher.of(ChecksumAlgorithm.SHA256);
        private final AtomicInteger outstanding = new AtomicInteger();
        private final AtomicLong held = new AtomicLong();
        private final AtomicLong mostHeld = new AtomicLong();
        private int made;

        Pieces(Random random) {
            this.random = random;
            this.count = random.nextInt(120);
        }

        void addTo(BodyWindow window) {
            while (made < count) {
                made++;
                var bytes = new byte[1 + random.nextInt(LARGEST)];
                random.nextBytes(bytes);
                all.add(ByteBuffer.wrap(bytes));
                if (random.nextInt(5) == 0) {
                    window.add(ByteBuffer.wrap(bytes), Optional.empty());
                    random.nextBytes(bytes);
                } else {
                    window.add(ByteBuffer.wrap(bytes), Optional.of(kept(bytes)));
                    mostHeld.accumulateAndGet(held.get(), Math::max);
                }
            }
        }

        private ByteSource.Kept kept(byte[] bytes) {
            var released = new AtomicInteger();
            outstanding.incrementAndGet();
            held.addAndGet(bytes.length);
            return () -> {
                Arrays.fill(bytes, (byte) 0);
                held.addAndGet(-bytes.length);
                outstanding.addAndGet(released.getAndIncrement() == 0 ? -1 : 1_000_000);
            };
        }
    }

    /// Digests at its own pace: at once, on another thread, or now and then late; maybe it fails at some piece.
    private final class Digesting implements PieceConsumer {
        private final Random random;
        private final int kind;
        private final int failsAt;
        private final Hasher digest = Hasher.of(ChecksumAlgorithm.SHA256);
        private final AtomicInteger inside = new AtomicInteger();
        private int taken;

        Digesting(Random random, int failsAt) {
            this.random = random;
            this.kind = random.nextInt(3);
            this.failsAt = failsAt;
        }

        @Override
        public CompletableFuture<Void> take(ByteBuffer piece) {
            assertThat(inside.incrementAndGet()).as("pieces at a time").isEqualTo(1);
            if (kind == 0) {
                digest(piece);
                return CompletableFuture.completedFuture(null);
            }
            return CompletableFuture.runAsync(
                    () -> {
                        if (kind == 2 && random.nextInt(4) == 0) {
                            LockSupport.parkNanos(random.nextInt(300_000));
                        }
                        digest(piece);
                    },
                    threads);
        }

        private void digest(ByteBuffer piece) {
            if (taken++ == failsAt) {
                throw new Failed();
            }
            digest.add(piece);
            piece.position(piece.limit()); // its own view
            inside.decrementAndGet();
        }
    }

    private static final class Failed extends RuntimeException {}

    private List<PieceConsumer> consumers(Random random) {
        var consumers = new ArrayList<PieceConsumer>();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            consumers.add(new Digesting(new Random(random.nextLong()), -1));
        }
        return consumers;
    }

    @Test
    void everyConsumerGetsAllBytesInOrderAndNoMoreThanAWindowIsHeld() {
        for (int seed = 0; seed < 150; seed++) {
            var random = new Random(seed);
            var consumers = consumers(random);
            var pieces = new Pieces(random);
            try (var window = new BodyWindow(LIMIT, consumers)) {
                pieces.addTo(window);
                window.finish();
                assertThat(pieces.outstanding).as("seed %d", seed).hasValue(0);
            }
            var expected = pieces.all.value();
            for (var consumer : consumers) {
                assertThat(((Digesting) consumer).digest.value())
                        .as("seed %d", seed)
                        .isEqualTo(expected);
            }
            assertThat(pieces.mostHeld.get()).as("seed %d", seed).isLessThanOrEqualTo(LIMIT);
        }
    }

    @Test
    void aConsumerThatFailsStopsTheOthersAndAllPiecesAreReleased() {
        int failed = 0;
        for (int seed = 0; seed < 150; seed++) {
            var random = new Random(seed);
            var consumers = consumers(random);
            var pieces = new Pieces(random);
            int at = random.nextInt(60);
            consumers.add(random.nextInt(consumers.size() + 1), new Digesting(new Random(seed), at));
            try (var window = new BodyWindow(LIMIT, consumers)) {
                pieces.addTo(window);
                window.finish();
                assertThat(at).as("seed %d", seed).isGreaterThanOrEqualTo(pieces.count);
            } catch (Failed _) {
                failed++;
                assertThat(pieces.made)
                        .as("seed %d: pieces until it is noticed", seed)
                        .isGreaterThan(at);
            }
            assertThat(pieces.outstanding).as("seed %d", seed).hasValue(0);
        }
        assertThat(failed).isGreaterThan(50);
    }

    @Test
    void whatIsAddedAfterAFailureIsRefusedAndReleased() {
        var released = new AtomicInteger();
        try (var window = new BodyWindow(LIMIT, List.of(_ -> CompletableFuture.failedFuture(new Failed())))) {
            window.add(ByteBuffer.allocate(10), Optional.of(released::incrementAndGet));
            assertThatThrownBy(() -> window.add(ByteBuffer.allocate(10), Optional.of(released::incrementAndGet)))
                    .isInstanceOf(Failed.class);
            assertThatThrownBy(window::finish).isInstanceOf(Failed.class);
        }
        assertThat(released).hasValue(2);
    }

    @Test
    void closingWaitsForWhatIsBeingUsedAndGivesTheRestBack() throws Exception {
        var released = new AtomicInteger();
        var taken = new AtomicInteger();
        var slow = new CompletableFuture<Void>();
        var window = new BodyWindow(LIMIT, List.of(_ -> {
            taken.incrementAndGet();
            return slow;
        }));
        for (int i = 0; i < 3; i++) {
            window.add(ByteBuffer.allocate(10), Optional.of(released::incrementAndGet));
        }
        var closing = CompletableFuture.runAsync(window::close, threads);
        while (released.get() < 2) {
            Thread.onSpinWait();
        }
        assertThat(closing).isNotDone();
        assertThat(released).as("the piece that is being used stays").hasValue(2);
        slow.complete(null);
        closing.get();
        assertThat(released).hasValue(3);
        assertThat(taken).hasValue(1);
    }

    /// The slower of two has nothing done yet.
    @Test
    void theReceiverWaitsForTheSlowestAndThenGoesOn() throws Exception {
        var slow = new CompletableFuture<Void>();
        var fast = new AtomicInteger();
        var consumers = List.<PieceConsumer>of(_ -> slow, _ -> {
            fast.incrementAndGet();
            return CompletableFuture.completedFuture(null);
        });
        int most = 4;
        var full = new CountDownLatch(most);
        try (var window = new BodyWindow((long) most * LARGEST, consumers)) {
            var adding = CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 3 * most; i++) {
                            window.add(ByteBuffer.allocate(LARGEST), Optional.of(() -> {}));
                            full.countDown();
                        }
                    },
                    threads);
            full.await();
            int before = fast.get();
            boolean waits = !adding.isDone();
            slow.complete(null);
            assertThat(before).isEqualTo(most);
            assertThat(waits).isTrue();
            adding.get();
            window.finish();
            assertThat(fast).hasValue(3 * most);
        }
    }

    /// A client may send chunks of one byte each.
    @Test
    void theNumberOfTinyPiecesHasABoundToo() throws Exception {
        var slow = new CompletableFuture<Void>();
        var added = new AtomicInteger();
        var full = new CountDownLatch(LIMIT / 4096);
        try (var window = new BodyWindow(LIMIT, List.of(_ -> slow))) {
            var adding = CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 1000; i++) {
                            window.add(ByteBuffer.allocate(1), Optional.of(() -> {}));
                            added.incrementAndGet();
                            full.countDown();
                        }
                    },
                    threads);
            full.await();
            int before = added.get();
            slow.complete(null);
            assertThat(before).isEqualTo(LIMIT / 4096);
            adding.get();
        }
    }

    @Test
    void slicesOfAChunkedBodyAreKeptWithTheBufferTheyAreOf() throws IOException {
        var object = Bytes.random(1, 30_000);
        var message = Framing.SIGNED.message(object, List.of(10_000, 10_000, 10_000));
        var kept = new ArrayList<ByteBuffer>();
        try (var body = BodyDecoder.open(new Recycling(message.wire()), message.head(), message.terms())) {
            for (var bytes = body.next(); bytes.hasRemaining(); bytes = body.next()) {
                assertThat(body.keep()).isPresent();
                kept.add(bytes);
            }
        }
        var all = ByteBuffer.allocate(object.length);
        kept.forEach(all::put);
        assertThat(all.array()).isEqualTo(object);
    }

    /// Spoils each buffer at the next call, unless it is kept.
    private static final class Recycling implements ByteSource {
        private final ByteBuffer wire;
        private byte[] lent = new byte[0];

        Recycling(byte[] wire) {
            this.wire = ByteBuffer.wrap(wire);
        }

        @Override
        public ByteBuffer next() {
            Arrays.fill(lent, (byte) 0);
            lent = new byte[Math.min(7000, wire.remaining())];
            wire.get(lent);
            return ByteBuffer.wrap(lent);
        }

        @Override
        public Optional<Kept> keep() {
            lent = new byte[0];
            return Optional.of(() -> {});
        }

        @Override
        public void close() {
            Arrays.fill(lent, (byte) 0);
        }
    }
}
