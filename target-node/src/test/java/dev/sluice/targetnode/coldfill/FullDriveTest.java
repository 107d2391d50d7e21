package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.health.DriveState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A file system that somebody else fills to the last block.
@Timeout(120)
class FullDriveTest {
    private static final int MIB = 1 << 20;
    private static final long RESERVE = 24 * MIB;

    @TempDir
    private Path folder;

    private static TargetFixture open(LoopFileSystem disk) throws IOException {
        return new TargetFixture(disk.path(), store -> store.reserve(RESERVE), UnaryOperator.identity());
    }

    private static boolean fits(TargetFixture target, String key, byte[] content) {
        try {
            return target.put(target.own(), key, content).status() == 200;
        } catch (StoreException.NoSpace full) {
            assertThat(S3Errors.of(full).status()).isEqualTo(507);
            assertThat(full).hasMessageContaining("The drive ").hasMessageContaining(" is full: ");
            return false;
        }
    }

    /// `-Dlong` adds the second.
    static List<String> fileSystems() {
        return System.getProperty("long") == null ? List.of("ext4") : List.of("ext4", "xfs");
    }

    @ParameterizedTest
    @MethodSource("fileSystems")
    void writesAreRefusedReadsAndDeletesGoOnAndAllIsWellWhenThereIsRoomAgain(String type) throws IOException {
        try (var disk = LoopFileSystem.mount(folder, type, 320L * MIB)) {
            try (var target = open(disk)) {
                for (int i = 0; i < 40; i++) {
                    assertThat(fits(target, "k" + i, random(i, i * 10_000))).isTrue();
                }
                target.inCloud("warm", random(50, MIB));
                assertThat(target.get(target.cached(), "warm").body()).isEqualTo(random(50, MIB));
                target.awaitFills();
                var filler = disk.fillUp();
                eventually(() -> !fits(target, "small", random(1, 100)));
                eventually(() -> target.store().stats().getFirst().freeBytes() < RESERVE); // until then 0 bytes may fit
                for (int size : new int[] {0, 1, 1000, 100_000, 3 * MIB}) {
                    assertThat(fits(target, "new" + size, random(1, size))).isFalse();
                }
                readsAndDeletesGoOn(target);
                Files.delete(filler);
                eventually(() -> fits(target, "again", random(60, 3 * MIB)));
                assertThat(target.get(target.own(), "again").body()).isEqualTo(random(60, 3 * MIB));
                target.requireNothingLeft();
            }
            try (var target = open(disk)) {
                assertThat(target.get(target.own(), "again").body()).isEqualTo(random(60, 3 * MIB));
                assertThat(target.get(target.own(), "k7").body()).isEqualTo(random(7, 70_000));
                assertThatThrownBy(() -> target.get(target.own(), "k25")).isInstanceOf(StoreException.NoSuchKey.class);
            }
        }
    }

    private static void readsAndDeletesGoOn(TargetFixture target) {
        for (int i = 0; i < 20; i++) {
            assertThat(target.get(target.own(), "k" + i).body()).isEqualTo(random(i, i * 10_000));
        }
        assertThat(target.get(target.cached(), "warm").body()).isEqualTo(random(50, MIB));
        target.inCloud("cold", random(51, MIB));
        for (int i = 0; i < 3; i++) {
            assertThat(target.get(target.cached(), "cold").body()).isEqualTo(random(51, MIB));
        }
        assertThat(target.stored(target.cached(), "cold")).isFalse();
        for (int i = 20; i < 40; i++) {
            var key = "k" + i;
            assertThat(target.delete(target.own(), key).status()).isEqualTo(204);
            assertThatThrownBy(() -> target.get(target.own(), key)).isInstanceOf(StoreException.NoSuchKey.class);
        }
    }

    @ParameterizedTest
    @MethodSource("fileSystems")
    void aTargetStartsOnADriveThatIsFull(String type) throws IOException {
        try (var disk = LoopFileSystem.mount(folder, type, 320L * MIB)) {
            try (var target = open(disk)) {
                for (int i = 0; i < 40; i++) {
                    assertThat(fits(target, "k" + i, random(i, i * 10_000))).isTrue();
                }
                target.inCloud("warm", random(50, MIB));
                target.get(target.cached(), "warm");
                eventually(() -> Files.exists(target.drive().resolve(".sluice/ballast")));
            }
            var filler = disk.fillUp();
            try (var target = open(disk)) {
                assertThat(target.drive().resolve(".sluice/ballast")).doesNotExist();
                assertThat(fits(target, "new", random(1, 100))).isFalse();
                readsAndDeletesGoOn(target);
                Files.delete(filler);
                eventually(() -> fits(target, "again", random(60, 3 * MIB)));
                eventually(() -> Files.exists(target.drive().resolve(".sluice/ballast")));
            }
        }
    }

    /// The word that it is in use again must be written to the full drive itself, when there is no other.
    @ParameterizedTest
    @MethodSource("fileSystems")
    void aDisabledDriveThatIsFullIsEnabledAgain(String type) throws IOException {
        try (var disk = LoopFileSystem.mount(folder, type, 320L * MIB);
                var target = open(disk)) {
            assertThat(fits(target, "k", random(1, 100_000))).isTrue();
            eventually(() -> Files.exists(target.drive().resolve(".sluice/ballast")));
            target.store().mountpaths().disable(target.drive().toString());
            assertThat(state(target)).isEqualTo(DriveState.DISABLED);
            disk.fillUp();
            target.store().mountpaths().enable(target.drive().toString());
            eventually(() -> state(target) == DriveState.ONLINE);
            assertThat(target.get(target.own(), "k").body()).isEqualTo(random(1, 100_000));
        }
    }

    /// A drive goes out, and is full of others' files when it is to come back: the ballast lets it be opened.
    @ParameterizedTest
    @MethodSource("fileSystems")
    void aDriveThatIsFullComesBack(String type) throws IOException {
        try (var disk = LoopFileSystem.mount(folder, type, 320L * MIB);
                var target = open(disk)) {
            for (int i = 0; i < 40; i++) {
                assertThat(fits(target, "k" + i, random(i, i * 10_000))).isTrue();
            }
            target.inCloud("warm", random(50, MIB));
            target.get(target.cached(), "warm");
            target.awaitFills();
            var ballast = target.drive().resolve(".sluice/ballast");
            eventually(() -> Files.exists(ballast));
            var state = target.drive().resolve(".sluice");
            var away = Files.move(state, target.drive().resolve("away"));
            assertThatThrownBy(() -> target.delete(target.own(), "k39")).isInstanceOf(StoreException.class);
            assertThat(state(target)).isEqualTo(DriveState.OFFLINE);
            Files.move(away, state);
            eventually(() -> !isInUse(state)); // files that are closed give room back
            var filler = disk.fillUp();
            target.store().mountpaths().enable(target.drive().toString());
            eventually(() -> state(target) == DriveState.ONLINE);
            assertThat(ballast).doesNotExist();
            assertThat(fits(target, "new", random(1, 100))).isFalse();
            readsAndDeletesGoOn(target);
            Files.delete(filler);
            eventually(() -> fits(target, "again", random(60, 3 * MIB)));
        }
    }

    private static boolean isInUse(Path path) {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.anyMatch(each -> {
                try {
                    return Files.readSymbolicLink(each).startsWith(path);
                } catch (IOException _) {
                    return false; // closed meanwhile
                }
            });
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static DriveState state(TargetFixture target) {
        return target.store().stats().getFirst().status().state();
    }

    /// Faster than anybody can look how much is free: writes meet the file system's own refusal at any step.
    @ParameterizedTest
    @MethodSource("fileSystems")
    void aFileSystemThatFillsUpUnderWritesSpoilsNothing(String type) throws Exception {
        fillUpUnderWrites(type, 3);
    }

    @Tag("long")
    @Timeout(900)
    @ParameterizedTest
    @MethodSource("fileSystems")
    void aFileSystemThatFillsUpManyTimesSpoilsNothing(String type) throws Exception {
        fillUpUnderWrites(type, 30);
    }

    private void fillUpUnderWrites(String type, int rounds) throws Exception {
        try (var disk = LoopFileSystem.mount(folder, type, 320L * MIB)) {
            try (var target = open(disk);
                    var clients = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int round = 0; round < rounds; round++) {
                    fillUpUnderWrites(target, disk, clients::submit);
                }
                target.requireNothingLeft();
            }
        }
    }

    private interface Clients {
        Future<List<Integer>> submit(java.util.concurrent.Callable<List<Integer>> work);
    }

    private static void fillUpUnderWrites(TargetFixture target, LoopFileSystem disk, Clients clients) throws Exception {
        var stop = new AtomicBoolean();
        var refused = new AtomicInteger();
        var next = new AtomicInteger();
        var writers = new ArrayList<Future<List<Integer>>>();
        for (int i = 0; i < 4; i++) {
            writers.add(clients.submit(() -> {
                var stored = new ArrayList<Integer>();
                while (!stop.get()) {
                    int number = next.getAndIncrement();
                    if (fits(target, "w" + number % 50, random(number, number % 7 * 100_000))) {
                        stored.add(number);
                    } else {
                        refused.incrementAndGet();
                    }
                }
                return stored;
            }));
        }
        eventually(() -> next.get() > 100);
        var filler = disk.fillUp();
        eventually(() -> refused.get() > 50);
        stop.set(true);
        for (var writer : writers) {
            assertThat(writer.get()).isNotEmpty();
        }
        Files.delete(filler);
        eventually(() -> fits(target, "last", random(1, MIB)));
        for (int i = 0; i < 50; i++) {
            var key = "w" + i;
            if (target.stored(target.own(), key)) {
                assertThat(target.get(target.own(), key).status()).isEqualTo(200);
                target.delete(target.own(), key);
            }
        }
    }

    @Test
    void copiesMakeRoomForWrites() throws IOException {
        try (var disk = LoopFileSystem.mount(folder, "ext4", 320L * MIB);
                var target = open(disk)) {
            for (int i = 0; i < 40; i++) {
                target.inCloud("c" + i, random(i, 2 * MIB));
                target.get(target.cached(), "c" + i);
            }
            target.awaitFills();
            target.evict();
            var filler = disk.takeWhatIsFree(); // and not what eviction frees meanwhile
            eventually(() -> fits(target, "k", random(99, 5 * MIB)));
            assertThat(target.get(target.own(), "k").body()).isEqualTo(random(99, 5 * MIB));
            assertThat(target.store().evictions().getFirst().objects()).isPositive();
            for (int i = 0; i < 40; i++) {
                assertThat(target.get(target.cached(), "c" + i).body()).isEqualTo(random(i, 2 * MIB));
            }
            Files.delete(filler);
        }
    }
}
