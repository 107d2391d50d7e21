package dev.sluice.targetnode.storage.scrub;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Suspicion;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.pace.FakeTicks;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.space.Watermarks;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// When a drive is scrubbed and how fast, by a clock that the test owns.
@Timeout(60)
class ScrubberTest {
    private static final RocksMemory MEMORY = new RocksMemory(16 << 20, 32 << 20);
    private static final BucketRef BUCKET = new BucketRef(7, "shards");
    private static final int SIZE = 4 << 20;
    private static final byte[] POSITION = {'c'};
    private static final KnownBuckets BUCKETS = new KnownBuckets() {
        @Override
        public Optional<BucketRef> withId(long id) {
            return Optional.of(BUCKET);
        }

        @Override
        public Optional<BucketRef> named(String name) {
            return Optional.of(BUCKET);
        }
    };

    @TempDir
    private Path folder;

    private final FakeTicks ticks = new FakeTicks();
    private final KeyCommitter committer = new KeyCommitter(
            new Drives(List::of, () -> DriveTable.of(Map.of())),
            new HotSet(16, 0, Duration.ofMinutes(1)),
            new Versions());
    private Optional<Drive> opened = Optional.empty();

    @BeforeEach
    void open() throws Exception {
        try (var opener = new DriveThreads("open", 1, 1)) {
            opened = Optional.of(Await.io(opener.start(() -> {
                var files = new LocalDriveFiles(folder);
                for (var each : List.of(Layout.OBJECTS, Layout.WORK, Layout.AUX, Layout.ESCAPED, Layout.TRASH)) {
                    files.createFolders(each);
                }
                files.createFolders(Layout.UPLOADS);
                var index = RocksIndex.open(folder.resolve(Layout.INDEX), MEMORY);
                return new Drive(
                        "d1",
                        new GuardedFiles(files, folder),
                        index,
                        new DriveSettings(1, 8, 32 << 20, 0, Watermarks.DEFAULT, Duration.ofMillis(100), () -> 1),
                        new Suspicion("d1", (_, _) -> {}));
            })));
        }
        Await.whole(drive().start(() -> {}));
    }

    @AfterEach
    void close() {
        drive().close();
    }

    private Drive drive() {
        return opened.orElseThrow();
    }

    private Scrubs scrubs(ScrubSettings settings) {
        var member = new Scrubs.Member("d1", "/d1", this::drive, () -> false);
        var scrubs = Scrubs.of(committer, settings, BUCKETS, (_, _, _, _) -> Optional.empty(), ticks);
        scrubs.use(List.of(member));
        return scrubs;
    }

    private static DriveScrub status(Scrubs scrubs) {
        return scrubs.obey(ScrubCommand.STATUS).getFirst();
    }

    private static void demand(Scrubs scrubs, long rate) {
        eventually(() -> status(scrubs).state() != DriveScrub.State.WAITING);
        scrubs.obey(new ScrubCommand(ScrubCommand.Action.START, Optional.empty(), Optional.of(rate)));
    }

    private void put(String key) {
        committer.commit(drive(), BUCKET, key, () -> {
            var version = committer.versions().next();
            var work = Layout.work(version);
            var content = ByteBuffer.allocate(SIZE);
            var sums = new BlockSummer();
            sums.update(0, content);
            var record = new ObjectRecord(
                    BUCKET.id(),
                    key,
                    version,
                    SIZE,
                    1,
                    1,
                    "e",
                    Map.of(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    Optional.empty(),
                    Optional.empty(),
                    sums.finish(SIZE),
                    Optional.empty(),
                    BlockSums.of());
            try (var file = drive().store().stage(work)) {
                file.write(0, content.clear());
                var change = drive().store().preparePut(BUCKET, work, file, record, new IndexBatch(), false);
                return new KeyCommitter.Ready<>(drive(), change, record);
            }
        });
    }

    private void putMany(int count) {
        for (int i = 0; i < count; i++) {
            put("k%02d".formatted(i));
        }
    }

    private static double secondsForAPass(Scrubs scrubs, long rate) {
        demand(scrubs, rate);
        eventually(() -> status(scrubs).finishedMillis() > 0);
        return (status(scrubs).finishedMillis() - status(scrubs).begunMillis()) / 1e3;
    }

    @Test
    void withoutDrivesThereIsNothingToTellAndNothingToStart() {
        try (var scrubs = scrubs(new ScrubSettings(Duration.ZERO, 0))) {
            scrubs.use(List.of());
            assertThat(scrubs.obey(ScrubCommand.STATUS)).isEmpty();
            var start = new ScrubCommand(ScrubCommand.Action.START, Optional.empty(), Optional.empty());
            assertThatThrownBy(() -> scrubs.obey(start)).isInstanceOf(StoreException.Unavailable.class);
        }
    }

    @Test
    void aPassTakesWhatItsRateSays() {
        putMany(10);
        try (var scrubs = scrubs(ScrubSettings.OFF)) {
            // 40 MiB, and 64 KiB for each of ten objects and ten files
            assertThat(secondsForAPass(scrubs, 2)).isBetween(20.0, 22.0);
        }
    }

    @Test
    void onDemandItDoesNotWait() {
        putMany(10);
        try (var scrubs = scrubs(ScrubSettings.OFF)) {
            assertThat(secondsForAPass(scrubs, 0)).isLessThan(0.5);
        }
    }

    @Test
    void itLetsRequestsGoFirst() throws Exception {
        putMany(1);
        var go = new CountDownLatch(1);
        var busy = new CountDownLatch(1);
        var first = drive().startStep(() -> {
            busy.countDown();
            go.await();
        });
        busy.await();
        var second = drive().startStep(() -> {});
        try (var scrubs = scrubs(ScrubSettings.OFF)) {
            // one object of four blocks, then one file: six times a second's patience
            assertThat(secondsForAPass(scrubs, 0)).isBetween(5.9, 6.5);
        } finally {
            go.countDown();
            CompletableFuture.allOf(first, second).join();
        }
    }

    @Test
    void everyPeriodHasItsPass() {
        putMany(2);
        var day = Duration.ofHours(24);
        ticks.letDaysPass();
        try (var scrubs = scrubs(new ScrubSettings(day, 0))) {
            eventually(() -> status(scrubs).finishedMillis() > 0);
            long first = status(scrubs).begunMillis();
            eventually(() -> status(scrubs).begunMillis() > first);
            assertThat(status(scrubs).begunMillis() - first)
                    .isBetween(day.toMillis(), day.plusMinutes(1).toMillis());
        }
    }

    @Test
    void withoutAPeriodNothingBeginsByItself() {
        putMany(2);
        try (var scrubs = scrubs(ScrubSettings.OFF)) {
            ticks.letDaysPass();
            eventually(() -> ticks.seconds() > Duration.ofDays(2).toSeconds());
            assertThat(status(scrubs).begunMillis()).isZero();
            assertThat(status(scrubs).state()).isEqualTo(DriveScrub.State.IDLE);
        }
    }

    /// A crash costs a few seconds of reading, not the pass.
    @Test
    void itsPlaceIsKeptEveryFewSeconds() {
        putMany(20);
        try (var scrubs = scrubs(ScrubSettings.OFF)) {
            demand(scrubs, 1);
            var seen = new Checkpoint[] {Checkpoint.NEVER};
            eventually(() -> {
                var at = stored();
                if (!seen[0].running() && at.phase() == Checkpoint.Phase.OBJECTS && at.objects() >= 3) {
                    seen[0] = at;
                }
                return seen[0].running() || status(scrubs).finishedMillis() > 0;
            });
            assertThat(seen[0].at()).isEqualTo("k%02d".formatted(seen[0].objects() - 1));
            eventually(() -> status(scrubs).finishedMillis() > 0);
            assertThat(status(scrubs).objects()).isEqualTo(20);
        }
    }

    private Checkpoint stored() {
        return drive().call(() -> {
            var value = drive().marks().kept(POSITION);
            return value.isPresent() ? Checkpoint.decode(value.get()) : Checkpoint.NEVER;
        });
    }
}
