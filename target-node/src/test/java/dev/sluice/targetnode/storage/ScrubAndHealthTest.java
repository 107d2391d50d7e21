package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.ScrubFixture.START;
import static dev.sluice.targetnode.storage.ScrubFixture.STOP;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.health.DriveState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Drives that go out while they are scrubbed, and come back.
@Timeout(120)
class ScrubAndHealthTest {
    private static final int OBJECTS = 40;

    /// Counts what is read, and lets one read wait.
    private static final class Reads implements ScrubFixture.Medium {
        private final Map<String, Integer> counts = new ConcurrentHashMap<>();
        private final Semaphore reached = new Semaphore(0);
        private final Semaphore goOn = new Semaphore(0);
        private volatile String held = "";

        @Override
        public void read(String path, long offset, ByteBuffer bytes) {
            counts.merge(path, 1, Integer::sum);
            if (path.equals(held)) {
                held = "";
                reached.release();
                goOn.acquireUninterruptibly();
            }
        }
    }

    @TempDir
    private Path folder;

    private final Reads reads = new Reads();

    @BeforeEach
    void fill() throws IOException {
        try (var store = StoreFixture.open(drives(folder, 1))) {
            for (int i = 0; i < OBJECTS; i++) {
                put(store, key(i), random(i, 5000));
            }
        }
        damage(3);
        damage(OBJECTS - 1);
    }

    private static String key(int i) {
        return "k%02d".formatted(i);
    }

    private static String path(int i) {
        return "objects/shards/" + key(i);
    }

    private void damage(int i) throws IOException {
        var file = folder.resolve("d1").resolve(path(i));
        var bytes = Files.readAllBytes(file);
        bytes[17] ^= 1;
        Files.write(file, bytes);
    }

    private void startUpTo(ScrubFixture target, int object) {
        eventually(() -> target.status().state() != DriveScrub.State.WAITING);
        reads.held = path(object);
        target.scrubs.obey(START);
        reads.reached.acquireUninterruptibly();
    }

    private static DriveState state(ScrubFixture target) {
        return target.store.stats().getFirst().status().state();
    }

    private static void requireBothFound(ScrubFixture target) {
        assertThat(target.status().latest().stream().map(ScrubFinding::key))
                .containsExactlyInAnyOrder(key(3), key(OBJECTS - 1));
        assertThat(target.status().objects()).isEqualTo(OBJECTS);
    }

    @Test
    void aScrubGoesOnWhereItWasStoredWhenItsDriveIsBack() throws IOException {
        var drives = drives(folder, 1);
        long begun;
        try (var target = new ScrubFixture(drives, reads)) {
            startUpTo(target, 20);
            begun = target.status().begunMillis();
            target.scrubs.obey(STOP);
            reads.goOn.release();
        }
        try (var target = new ScrubFixture(drives, reads)) {
            startUpTo(target, 30);
            target.store.mountpaths().disable(drives.getFirst().toString());
            assertThat(state(target)).as("nobody waits for the scrub").isEqualTo(DriveState.DISABLED);
            assertThat(target.status().state())
                    .as("it will not go on by itself")
                    .isEqualTo(DriveScrub.State.DISABLED);
            assertThat(target.status().trouble().orElseThrow()).contains("disabled by an operator");
            assertThatThrownBy(() -> target.scrubs.obey(START)).isInstanceOf(StoreException.Unavailable.class);
            reads.goOn.release();
            target.store.mountpaths().enable(drives.getFirst().toString());
            eventually(() -> state(target) == DriveState.ONLINE);
            target.awaitEnd();
            requireBothFound(target);
            assertThat(target.status().begunMillis()).as("the same pass").isEqualTo(begun);
            assertThat(reads.counts).as("it did not begin again").containsEntry(path(0), 1);
        }
    }

    @Test
    void whatIsMissingBecauseTheDriveIsGoneIsNoFinding() throws IOException {
        var drives = drives(folder, 1);
        var away = folder.resolve("away");
        try (var target = new ScrubFixture(drives, reads, WatchedDrives.CLOSE)) {
            startUpTo(target, 20);
            Files.move(drives.getFirst(), away);
            eventually(() -> state(target) == DriveState.OFFLINE);
            assertThat(target.status().state()).isEqualTo(DriveScrub.State.WAITING);
            reads.goOn.release();
            Files.move(away, drives.getFirst());
            eventually(() -> state(target) == DriveState.ONLINE);
            target.awaitEnd();
            requireBothFound(target);
        }
    }

    /// The watch would see only later that the drive is gone; the scrub sees it first.
    @Test
    void aScrubTellsOfADriveThatIsGone() throws IOException {
        var drives = drives(folder, 1);
        var away = folder.resolve("away");
        try (var target = new ScrubFixture(drives, reads, WatchedDrives.HARDLY)) {
            startUpTo(target, 20);
            Files.move(drives.getFirst(), away);
            reads.goOn.release();
            eventually(() -> target.store
                    .stats()
                    .getFirst()
                    .suspect()
                    .filter(error -> error.startsWith("scrub"))
                    .isPresent());
            eventually(() -> target.status().state() == DriveScrub.State.WAITING);
            assertThat(target.status().latest().stream().map(ScrubFinding::key)).containsExactly(key(3));
            Files.move(away, drives.getFirst());
        }
    }
}
