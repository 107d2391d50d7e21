package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// An event loop sends what needs no drive, and nothing else: verified bytes that the kernel has dropped
/// meanwhile would make it wait for the drive, and all other drives' readers with it.
@Timeout(60)
class EvictedPagesTest {
    private static final int BLOCK = 1 << 20;
    private static final int PIECE = 256 << 10;

    @TempDir
    private Path folder;

    @Test
    void whatHasLeftThePageCacheIsReadByADriveThreadAndComparedAgain() throws Exception {
        PageCache.assumeTools();
        var reads = new AtomicInteger();
        var counted = FaultyFiles.with((call, path) -> {
            if (call.equals("read") && path.endsWith("/k")) {
                reads.incrementAndGet();
            }
        });
        try (var store = ObjectStore.open(config(drives(folder, 1)), counted)) {
            var content = random(1, 2 * BLOCK);
            put(store, "k", content);
            assertThat(get(store, "k")).isEqualTo(content);
            try (var object = store.hot(BUCKET.id(), "k").orElseThrow()) {
                assertThat(object.ready(0, 2 * BLOCK)).isTrue();
                var file = folder.resolve("d1/objects/shards/k");
                PageCache.drop(file);
                assumeTrue(PageCache.of(file) == 0, "skipped: the file system of " + folder + " keeps its pages");
                assertThat(object.ready(0, BLOCK)).as("dropped").isFalse();
                assertThat(object.ready(BLOCK + 1000, 1)).as("dropped").isFalse();

                reads.set(0);
                object.prepare(0, BLOCK).toCompletableFuture().join();
                assertThat(reads).as("reads of the whole block").hasValueGreaterThanOrEqualTo(BLOCK / (256 << 10));
                assertThat(object.ready(0, BLOCK)).isTrue();
                assertThat(object.ready(0, 0)).isTrue();
            }
        }
    }

    /// Rot does not touch a file's times: so the file says here that it is as it was.
    @Test
    void bytesThatRottedWhileTheirPagesWereGoneAreNotHandedOver() throws Exception {
        PageCache.assumeTools();
        var identities = new ConcurrentHashMap<String, Object>();
        var unchanging = FaultyFiles.instead(call -> {
            var result = call.real();
            return call.name().equals("identity")
                    ? identities.computeIfAbsent(call.path(), _ -> requireNonNull(result))
                    : result;
        });
        try (var store = ObjectStore.open(config(drives(folder, 1)), unchanging)) {
            var content = random(1, 2 * BLOCK);
            put(store, "k", content);
            assertThat(get(store, "k")).isEqualTo(content);
            try (var object = store.hot(BUCKET.id(), "k").orElseThrow()) {
                var piece = ByteBuffer.allocateDirect(PIECE);
                assertThat(object.copy(BLOCK, piece)).as("warm").isTrue();
                assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(content, BLOCK, PIECE));

                var file = folder.resolve("d1/objects/shards/k");
                flip(file, BLOCK + 7);
                PageCache.drop(file);
                assumeTrue(PageCache.of(file) == 0, "skipped: the file system of " + folder + " keeps its pages");
                for (int attempt = 0; attempt < 3; attempt++) {
                    assertThat(object.copy(BLOCK, piece.clear())).as("gone").isFalse();
                    assertThat(piece.position()).isZero();
                    assertThatThrownBy(() -> object.fetch(BLOCK, piece.clear())
                                    .toCompletableFuture()
                                    .join())
                            .hasCauseInstanceOf(StoreException.Damaged.class);
                    // the wrong bytes are in the page cache now
                }
                assertThat(object.copy(0, piece.clear())).as("gone").isFalse();
                object.fetch(0, piece).toCompletableFuture().join();
                assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(content, 0, PIECE));
                assertThat(object.copy(PIECE, piece.clear()))
                        .as("read with the piece before")
                        .isTrue();
                assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(content, PIECE, PIECE));
            }
        }
    }

    static void flip(Path file, int at) throws IOException {
        try (var out = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var one = ByteBuffer.allocate(1);
            out.read(one, at);
            out.write(one.put(0, (byte) (one.get(0) ^ 0x10)).rewind(), at);
        }
    }

    /// What the kernel read ahead would be in memory, and nobody would have compared it.
    @Test
    void nothingIsReadAheadOfWhatIsCompared() throws Exception {
        PageCache.assumeTools();
        try (var store = ObjectStore.open(config(drives(folder, 1)))) {
            put(store, "k", random(1, 8 * BLOCK));
            var file = folder.resolve("d1/objects/shards/k");
            PageCache.drop(file);
            assumeTrue(PageCache.of(file) == 0, "skipped: the file system of " + folder + " keeps its pages");
            try (var object = ((Lookup.Hit) store.lookup(BUCKET, "k")).object()) {
                object.prepare(BLOCK, BLOCK).toCompletableFuture().join();
                object.prepare(2 * BLOCK, BLOCK).toCompletableFuture().join();
                assertThat(PageCache.of(file)).isEqualTo(2 * BLOCK);
            }
        }
    }
}
