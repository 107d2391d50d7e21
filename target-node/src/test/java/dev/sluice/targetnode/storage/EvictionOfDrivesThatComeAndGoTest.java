package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Eviction on a drive that is closed, and opened again as another object, while the target runs.
@Timeout(120)
class EvictionOfDrivesThatComeAndGoTest {
    private static final BucketRef CACHED = new BucketRef(3, "cached");
    private static final int COPIES = 40;
    private static final int SIZE = 40_000;

    @TempDir
    private Path folder;

    private List<Path> paths = List.of();
    private SmallDrive drive = new SmallDrive(Path.of("unset"), 0);

    @BeforeEach
    void oneDrive() throws IOException {
        paths = drives(folder, 1);
        drive = new SmallDrive(paths.getFirst(), 1L << 40);
    }

    private ObjectStore open() throws IOException {
        var seams = new Seams((_, files) -> drive.seam().apply(files), UnaryOperator.identity());
        return ObjectStore.open(StoreFixture.settings(paths).reserve(0).build(), seams, WatchedDrives.CLOSE);
    }

    private static void fill(ObjectStore store) {
        for (int i = 0; i < COPIES; i++) {
            try (var upload = store.begin(CACHED, "k" + i, SIZE, Durability.OS)) {
                upload.write(ByteBuffer.wrap(random(i, SIZE)));
                upload.commit(new CommitTerms(
                        "etag",
                        new TreeMap<>(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        Optional.of("v1"),
                        Optional.empty(),
                        WriteCheck.NONE));
            }
        }
    }

    private static DriveState state(ObjectStore store) {
        return store.stats().getFirst().status().state();
    }

    private void disable(ObjectStore store) {
        store.mountpaths().disable(paths.getFirst().toString());
        assertThat(state(store)).isEqualTo(DriveState.DISABLED);
    }

    private void enable(ObjectStore store) {
        store.mountpaths().enable(paths.getFirst().toString());
        eventually(() -> state(store) == DriveState.ONLINE);
    }

    /// The first write after the return finds no room: it waits for eviction, as on a drive that was never away.
    @Test
    void aDriveThatCameBackMakesRoomAgain() throws IOException {
        try (var store = open()) {
            store.evict(() -> List.of(CACHED));
            fill(store);
            disable(store);
            drive.resize(drive.used());
            enable(store);
            put(store, "new", random(1, SIZE));
            eventually(() -> store.evictions().getFirst().enough() > 0);
            assertThat(store.list(CACHED.id(), "", "", 100)).hasSizeBetween(1, COPIES - 1);
        }
    }

    /// A run stands still while its drive is closed, comes back and serves; then it goes on with what is closed.
    @Test
    void aRunUnderWayNeitherHoldsUpTheCloseNorTouchesWhatIsClosed() throws IOException {
        var running = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var first = new AtomicBoolean(true);
        try (var store = open()) {
            fill(store);
            store.evict(() -> {
                if (first.getAndSet(false)) {
                    running.countDown();
                    awaitQuietly(goOn);
                }
                return List.of(CACHED);
            });
            drive.resize(drive.used() * 100 / 95);
            awaitQuietly(running);
            disable(store);
            enable(store);
            assertThat(store.evictions().getFirst().objects()).isZero();
            goOn.countDown();
            eventually(() -> store.evictions().getFirst().enough() > 0);
            assertThat(store.stats().getFirst().errors()).isZero();
            assertThat(store.list(CACHED.id(), "", "", 100)).hasSizeBetween(1, COPIES - 1);
        }
    }

    /// It is not full, it is away: 503, and at once.
    @Test
    void aWriteThatWaitsForRoomIsToldThatTheDriveIsGone() throws Exception {
        var running = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var store = open()) {
            fill(store);
            store.evict(() -> {
                running.countDown();
                awaitQuietly(goOn);
                return List.of(CACHED);
            });
            drive.resize(drive.used() + SIZE / 2);
            eventually(() -> store.stats().getFirst().freeBytes() < SIZE);
            var waiting = new FutureTask<>(() -> put(store, "new", random(1, SIZE)));
            var writer = Thread.ofVirtual().start(waiting);
            try {
                awaitQuietly(running);
                eventually(() -> writer.getState() == Thread.State.TIMED_WAITING || waiting.isDone());
                disable(store);
                assertThatThrownBy(waiting::get).hasCauseInstanceOf(StoreException.Unavailable.class);
            } finally {
                goOn.countDown();
            }
            enable(store);
            put(store, "new", random(1, SIZE));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
