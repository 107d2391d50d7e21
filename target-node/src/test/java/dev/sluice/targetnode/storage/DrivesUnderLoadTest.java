package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.FaultyFiles.failing;
import static dev.sluice.targetnode.storage.WatchedDrives.CLOSE;
import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.resilver.Resilver;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Drives that go out and come back at random, one or several at a time, while keys of one copy and of two are written,
/// read and listed and the resilver moves them.
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DrivesUnderLoadTest {
    private static final int DRIVES = 3;
    private static final int ROUNDS = 12;
    private static final BucketRef ONE = new BucketRef(31, "once", 1);
    private static final BucketRef TWO = new BucketRef(32, "twice", 2);
    private static final KnownBuckets BUCKETS = StoreFixture.known(ONE, TWO);

    @TempDir
    private Path folder;

    static LongStream seeds() {
        return LongStream.of(1);
    }

    static LongStream manySeeds() {
        return LongStream.range(2, 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nothingIsWrongMissingOrLost(long seed) throws Exception {
        run(new Random(seed));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void nothingIsWrongMissingOrLostForLong(long seed) throws Exception {
        run(new Random(seed));
    }

    private void run(Random random) throws Exception {
        var paths = StoreFixture.drives(folder, DRIVES);
        Map<String, Load.Values> once;
        Map<String, Load.Values> twice;
        try (var drives = new WatchedDrives(paths, CLOSE);
                var resilver = drives.store.resilver(new ResilverSettings(0, Duration.ofMillis(20)), BUCKETS)) {
            try (var ones = new Load(drives, ONE, 4, 8);
                    var twos = new Load(drives, TWO, 4, 8)) {
                var trouble = new Trouble(drives, random);
                for (int round = 0; round < ROUNDS; round++) {
                    trouble.more();
                    ones.awaitAnswers(random.nextInt(100));
                    twos.awaitAnswers(random.nextInt(100));
                }
                trouble.end();
                ones.awaitProgress(100);
                twos.awaitProgress(100);
                once = ones.stop();
                twice = twos.stop();
            }
            awaitSettled(drives, resilver);
            Load.requireAll(drives.store, ONE, once);
            Load.requireAll(drives.store, TWO, twice);
        }
        try (var store = StoreFixture.open(paths)) {
            Load.requireAll(store, ONE, once);
            Load.requireAll(store, TWO, twice);
        }
    }

    private static void awaitSettled(WatchedDrives drives, Resilver resilver) {
        eventually(
                () -> drives.store.settlement().isSettled(drives.store.table().version())
                        && drives.store.table().isSettled(),
                () -> "not settled: " + drives.store.table() + " " + resilver.obey(ResilverCommand.STATUS));
    }

    /// What is wrong with drives now.
    private final class Trouble {
        private final WatchedDrives drives;
        private final Random random;
        private final Set<Integer> away = new HashSet<>();

        Trouble(WatchedDrives drives, Random random) {
            this.drives = drives;
            this.random = random;
        }

        /// One thing more, or one less.
        void more() throws IOException {
            int drive = random.nextInt(DRIVES);
            if (away.contains(drive)) {
                bringBack(drive);
                return;
            }
            switch (random.nextInt(6)) {
                case 0 -> drives.fault(drive, failing("sync", ""));
                case 1 -> drives.fault(drive, failing("open", ""));
                case 2 -> drives.fault(drive, failing("rename", ""));
                case 3 -> drives.indexFault(failing(random.nextBoolean() ? "write" : "get", ""));
                case 4 -> {
                    Files.move(drives.paths.get(drive), away(drive));
                    away.add(drive);
                }
                default -> allSound();
            }
        }

        private void bringBack(int drive) throws IOException {
            Files.move(away(drive), drives.paths.get(drive));
            away.remove(drive);
        }

        private Path away(int drive) {
            return folder.resolve("away" + drive);
        }

        private void allSound() {
            for (int drive = 0; drive < DRIVES; drive++) {
                drives.sound(drive);
            }
            drives.indexFault(WatchedDrives.NONE);
        }

        void end() throws IOException {
            allSound();
            for (int drive : Set.copyOf(away)) {
                bringBack(drive);
            }
            for (int drive = 0; drive < DRIVES; drive++) {
                drives.awaitState(drive, DriveState.ONLINE);
            }
        }
    }
}
