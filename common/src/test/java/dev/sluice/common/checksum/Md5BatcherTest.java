package dev.sluice.common.checksum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.Bytes;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class Md5BatcherTest {
    private static final long SEED = 11;

    private final OpenStreams streams = new OpenStreams(System::nanoTime);
    private final Md5Batcher batcher = new Md5Batcher(streams);

    @Test
    void theBlockStepIsMd5() {
        for (int length = 0; length < 130; length++) {
            var bytes = random(length, 1);
            assertThat(alone(bytes)).as("%d bytes", length).isEqualTo(jdk(bytes));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 16, 17, 40})
    void streamsOfAnyLengthInAnyPiecesHaveTheJdksMd5(int streams) throws Exception {
        batcher.start(2);
        var random = new Random(SEED + streams);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = new ArrayList<CompletableFuture<Void>>();
            for (int i = 0; i < streams; i++) {
                long seed = random.nextLong();
                futures.add(CompletableFuture.runAsync(() -> equalsJdk(new Random(seed), seed), threads));
            }
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(50, TimeUnit.SECONDS);
        }
    }

    private void equalsJdk(Random random, long seed) {
        try (var stream = streams.open()) {
            for (int object = 0; object < 8; object++) {
                var bytes = random(random.nextInt(4) == 0 ? random.nextInt(200) : random.nextInt(300_000), seed);
                var md5 = new LaneMd5(batcher);
                for (int at = 0; at < bytes.length; ) {
                    int length = Math.min(bytes.length - at, random.nextInt(random.nextBoolean() ? 130 : 100_000));
                    stream.moved();
                    md5.add(piece(bytes, at, length, random.nextBoolean())).join();
                    at += length;
                }
                assertThat(md5.value())
                        .as("seed %d, object %d of %d bytes", seed, object, bytes.length)
                        .isEqualTo(jdk(bytes));
            }
        }
    }

    @Test
    void aBufferIsLeftAsItWas() {
        batcher.start(1);
        var bytes = ByteBuffer.wrap(random(1000, 2)).position(3);
        new LaneMd5(batcher).add(bytes).join();
        assertThat(bytes.position()).isEqualTo(3);
        assertThat(bytes.remaining()).isEqualTo(997);
    }

    @Test
    void aStreamThatBringsNothingHoldsUpNobody() {
        batcher.start(2);
        for (int i = 0; i < 10; i++) {
            var _ = streams.open();
        }
        var bytes = random(100_000, 3);
        var md5 = new LaneMd5(batcher);
        md5.add(ByteBuffer.wrap(bytes)).join();
        assertThat(md5.value()).isEqualTo(jdk(bytes));
    }

    @Test
    void aPieceWhoseBytesAreGoneFailsAlone() {
        var gone = Arena.ofShared();
        var lost = gone.allocate(1 << 16).asByteBuffer();
        var bytes = random(1 << 16, 4);
        var before = new LaneMd5(batcher);
        var failing = new LaneMd5(batcher);
        var after = new LaneMd5(batcher);
        var first = before.add(ByteBuffer.wrap(bytes));
        var second = failing.add(lost);
        var third = after.add(ByteBuffer.wrap(bytes));
        gone.close();
        batcher.start(1);
        assertThatThrownBy(second::join).hasCauseInstanceOf(IllegalStateException.class);
        first.join();
        third.join();
        assertThat(before.value()).isEqualTo(jdk(bytes));
        assertThat(after.value()).isEqualTo(jdk(bytes));
    }

    @Test
    void aFullQueueMakesThoseWaitWhoBringPieces() throws Exception {
        var pieces = new ArrayList<CompletableFuture<Void>>();
        var bytes = random(64, 5);
        for (int i = 0; i < Md5Batcher.QUEUE_LIMIT; i++) {
            pieces.add(new LaneMd5(batcher).add(ByteBuffer.wrap(bytes)));
        }
        var last = new LaneMd5(batcher);
        var brought = new CompletableFuture<CompletableFuture<Void>>();
        var bringer = Thread.ofPlatform().start(() -> brought.complete(last.add(ByteBuffer.wrap(bytes))));
        while (bringer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(brought).isNotDone();
        batcher.start(1);
        brought.get(10, TimeUnit.SECONDS).get(10, TimeUnit.SECONDS);
        CompletableFuture.allOf(pieces.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
        assertThat(last.value()).isEqualTo(jdk(bytes));
    }

    @Test
    void theTrialFindsTheLanesRight() {
        var trial = Md5Trial.run();
        assertThat(trial.right()).isEqualTo(trial.lanes() >= 4);
    }

    @Test
    void switchedOffEveryStreamUsesTheJdks() {
        System.setProperty("sluice.md5.lanes", "off");
        try {
            var shared = new SharedMd5(SharedMd5.possible());
            for (int i = 0; i < 20; i++) {
                var _ = shared.open();
                assertThat(shared.lane()).isEmpty();
            }
        } finally {
            System.clearProperty("sluice.md5.lanes");
        }
    }

    @Test
    void manyAtOnceAreRightWhicheverWayTheyGo() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = new ArrayList<CompletableFuture<Void>>();
            for (int i = 0; i < 200; i++) {
                var bytes = random(100_000 + i, i);
                futures.add(CompletableFuture.runAsync(
                        () -> {
                            try (var md5 = Md5.amongOthers()) {
                                md5.add(ByteBuffer.wrap(bytes, 0, 70_001));
                                md5.adding(ByteBuffer.wrap(bytes, 70_001, bytes.length - 70_001))
                                        .join();
                                assertThat(md5.hex()).isEqualTo(HexFormat.of().formatHex(jdk(bytes)));
                            }
                        },
                        threads));
            }
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(50, TimeUnit.SECONDS);
        }
    }

    private static byte[] alone(byte[] bytes) {
        var state = Md5Block.initialState();
        int whole = bytes.length / Md5Block.BYTES * Md5Block.BYTES;
        var block = new byte[Md5Block.BYTES];
        for (int at = 0; at < whole; at += Md5Block.BYTES) {
            System.arraycopy(bytes, at, block, 0, Md5Block.BYTES);
            Md5Block.compress(state, block);
        }
        System.arraycopy(bytes, whole, block, 0, bytes.length - whole);
        return Md5Block.padded(state, block, bytes.length - whole, bytes.length);
    }

    private static ByteBuffer piece(byte[] bytes, int at, int length, boolean direct) {
        return direct
                ? ByteBuffer.allocateDirect(length).put(bytes, at, length).flip()
                : ByteBuffer.wrap(bytes, at, length);
    }

    static byte[] jdk(byte[] bytes) {
        var hasher = Hasher.Digest.of("MD5");
        hasher.add(ByteBuffer.wrap(bytes));
        return hasher.value();
    }

    private static byte[] random(int length, long seed) {
        return Bytes.random(seed, length);
    }
}
