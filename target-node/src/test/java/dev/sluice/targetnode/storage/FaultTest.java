package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.delete;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Drives that fill up or stand still under a running store. Those that fail: [DriveHealthTest].
class FaultTest {
    private static final FaultyFiles.Fault NONE = (_, _) -> {};

    @TempDir
    private Path folder;

    private volatile FaultyFiles.Fault fault = NONE;

    private ObjectStore faulty(List<Path> paths) throws IOException {
        return ObjectStore.open(config(paths), FaultyFiles.with((call, path) -> fault.before(call, path)));
    }

    private List<Path> workFiles() throws IOException {
        try (var found = Files.list(folder.resolve("d1/.sluice/work"))) {
            return found.toList();
        }
    }

    /// The bytes stay in the intent until the file system has taken them.
    @Test
    void aSmallObjectOutlivesTheFailureOfItsLaterSync() throws Exception {
        var paths = drives(folder, 1);
        try (var store = faulty(paths)) {
            fault = (call, path) -> {
                if (call.equals("syncAll")) {
                    throw new IOException("Input/output error");
                }
            };
            put(store, "k", random(1, 50));
            while (store.stats().getFirst().errors() == 0) {
                Thread.onSpinWait();
            }
            fault = NONE;
            assertThatThrownBy(() -> delete(store, "k"))
                    .isInstanceOfAny(StoreException.DriveFailed.class, StoreException.Unavailable.class);
        }
        var file = folder.resolve("d1").resolve("objects/" + BUCKET.name() + "/k");
        Files.write(file, new byte[50], StandardOpenOption.WRITE); // as if the page had been lost
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isEqualTo(random(1, 50));
        }
    }

    @Test
    void aFullDriveRefusesAndLeavesNothing() throws IOException {
        var paths = drives(folder, 1);
        try (var store = faulty(paths)) {
            put(store, "k", random(1, 50));
            for (var when : List.of("create", "write", "setAttribute", "rename", "createFolders")) {
                fault = (call, path) -> {
                    if (call.equals(when)) {
                        throw new DriveFullException("No space left on device", new IOException());
                    }
                };
                var key = when.equals("createFolders") ? "new/folder/k" : "k";
                assertThatThrownBy(() -> put(store, key, random(2, 2_000_000)))
                        .as(when)
                        .isInstanceOf(StoreException.NoSpace.class);
                fault = NONE;
                assertThat(get(store, "k")).as(when).isEqualTo(random(1, 50));
                assertThat(workFiles()).as(when).isEmpty();
            }
            assertThat(store.list(BUCKET.id(), "", "", 10)).hasSize(1);
            put(store, "k", random(2, 2_000_000));
        }
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isEqualTo(random(2, 2_000_000));
            assertThat(store.list(BUCKET.id(), "", "", 10)).hasSize(1);
        }
    }

    /// Nobody knows then what is decided: the drive goes out, which is not the 507 of one that is merely full.
    @Test
    void aDriveThatIsFullInTheMiddleOfACommitGoesOut() throws IOException {
        var paths = drives(folder, 1);
        try (var store = faulty(paths)) {
            put(store, "k", random(1, 2_000_000));
            fault = (call, path) -> {
                if (call.equals("syncFolder") && path.endsWith("work")) {
                    throw new DriveFullException("No space left on device", new IOException());
                }
            };
            assertThatThrownBy(() -> put(store, "k", random(2, 2_000_000)))
                    .isInstanceOf(StoreException.DriveFailed.class);
            fault = NONE;
            assertThatThrownBy(() -> put(store, "k", random(3, 2_000_000)))
                    .isInstanceOf(StoreException.Unavailable.class);
        }
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isIn(random(1, 2_000_000), random(2, 2_000_000));
            put(store, "k", random(3, 50));
        }
    }

    @Test
    void theReserveIsKept() throws IOException {
        try (var store = ObjectStore.open(StoreFixture.settings(drives(folder, 1))
                .reserve(Long.MAX_VALUE / 2)
                .build())) {
            assertThatThrownBy(() -> store.begin(BUCKET, "k", 1, Durability.FSYNC))
                    .isInstanceOf(StoreException.NoSpace.class)
                    .hasMessageContaining("full");
        }
    }

    @Test
    void aDriveThatStandsStillRefusesWhatItCannotQueue() throws Exception {
        var paths = drives(folder, 1);
        var go = new CountDownLatch(1);
        var limits = config(paths);
        var stuck = new CountDownLatch(limits.threadsPerDrive());
        try (var store = faulty(paths);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < limits.threadsPerDrive(); i++) {
                put(store, "k" + i, random(i, 10));
            }
            fault = (call, path) -> {
                if (call.equals("open")) {
                    stuck.countDown();
                    awaitQuietly(go);
                }
            };
            var reads = new ArrayList<Future<Lookup>>();
            for (int i = 0; i < limits.threadsPerDrive(); i++) {
                var key = "k" + i;
                reads.add(threads.submit(() -> store.lookup(BUCKET, key)));
            }
            stuck.await();
            var queued = store.begin(BUCKET, "w", 1 << 20, Durability.OS);
            for (int i = 0; i < limits.queuePerDrive(); i++) {
                assertThat(queued.writing(ByteBuffer.wrap(new byte[1]))).isNotDone();
            }
            assertThatThrownBy(() -> store.lookup(BUCKET, "other")).isInstanceOf(StoreException.Unavailable.class);
            go.countDown();
            for (var read : reads) {
                assertThat(read.get()).isInstanceOf(Lookup.Hit.class);
                ((Lookup.Hit) read.get()).object().close();
            }
            assertThat(get(store, "k1")).isEqualTo(random(1, 10));
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
