package dev.sluice.targetnode.replica.membership;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Lease;
import dev.sluice.targetnode.replica.loop.OneGroup;
import dev.sluice.targetnode.replica.loop.SlotPages;
import dev.sluice.targetnode.storage.FaultyFiles;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A process with one real drive, which has registered, and a real controller.
@Timeout(60)
class OwnDrivesTest {
    private static final NodeId SELF = new NodeId("target001");

    @TempDir
    private Path folder;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, DriveReplicas> loops = new ConcurrentHashMap<>();
    private final AtomicInteger syncs = new AtomicInteger();
    private volatile boolean syncFails;
    private TargetFixture target;
    private Controller controller;
    private Proposer proposer;
    private OwnDrives drives;
    private String id;

    @BeforeEach
    void register() throws Exception {
        target = openTarget();
        var kept = folder.resolve("control");
        Files.createDirectories(kept.resolve(".sluice"));
        controller = Controller.open(TestDrives.at(kept), Set.of(SELF), new TreeMap<>());
        controller.apply(new Command.Join(new Node(SELF, Role.TARGET, "http://127.0.0.1:1", "", 1)));
        proposer = new Proposer(controller, () -> CompletableFuture.completedFuture(Optional.empty()));
        drives = new OwnDrives(
                SELF,
                new DriveArrivals(target.store(), (_, _) -> Long.MAX_VALUE),
                controller,
                loops,
                this::begin,
                proposer,
                threads);
        eventually(drives::allKnown);
        var named = drives.announceAll("first");
        id = named.getFirst().id();
        controller.apply(new Command.Register(SELF, "first", 0, "boot", named));
        follow();
    }

    private TargetFixture openTarget() throws IOException {
        return new TargetFixture(
                folder.resolve("target"), store -> store.reserve(1 << 20), FaultyFiles.with((call, _) -> {
                    if (call.equals("syncAll")) {
                        syncs.incrementAndGet();
                        if (syncFails) {
                            throw new IOException("Input/output error");
                        }
                    }
                }));
    }

    @AfterEach
    void stop() {
        loops.values().forEach(DriveReplicas::close);
        proposer.close();
        threads.shutdownNow();
        controller.close();
        target.close();
    }

    private DriveReplicas begin(Drive drive, int incarnation) {
        var loop = new DriveReplicas(
                drive,
                incarnation,
                new Lease(() -> 0),
                new SlotPages(drive, new OneGroup(FollowedStates.GROUP)),
                () -> 1,
                (_, _) -> {},
                drives::ended);
        loop.start();
        return loop;
    }

    private void follow() {
        drives.follow(controller.current().replication());
    }

    private void report() {
        drives.report(1);
    }

    private DriveEntry entry() {
        return controller.current().replication().drives().find(id).orElseThrow();
    }

    private Optional<DriveReplicas> loop() {
        return Optional.ofNullable(loops.get(id));
    }

    /// 0 for no loop.
    private int running() {
        return loop().map(DriveReplicas::incarnation).orElse(0);
    }

    @Test
    void driveThatTheLogHasIsNotReported() {
        assertThat(running()).isEqualTo(entry().incarnation()).isEqualTo(1);
        long version = controller.current().version();
        report();
        follow();
        assertThat(controller.current().version()).isEqualTo(version);
        assertThat(running()).isEqualTo(1);
    }

    /// The next process of the same boot asks the mark. Nothing may be said for a drive that the log does not know yet.
    @Test
    void driveMayLackUnsyncedWritesUntilTheLogKnowsItAndAfterItFailed() {
        var mark = target.store()
                .drives()
                .slots()
                .getFirst()
                .writable()
                .orElseThrow()
                .keptWrites();
        assertThat(drives.announceAll("second").getFirst().mayLackUnsynced()).isTrue();
        drives.markAllSound();
        assertThat(drives.announceAll("third").getFirst().mayLackUnsynced()).isFalse();
        mark.remove();
        assertThat(drives.announceAll("fourth").getFirst().mayLackUnsynced()).isTrue();
    }

    private Drive drive() {
        return target.store().drives().slots().getFirst().writable().orElseThrow();
    }

    /// The next process, which finds a write that this one prepared.
    private void restartWithAnOpenIntent() throws Exception {
        var bucket = BucketRefs.of(target.own());
        var version = new ObjectVersion(1, 7);
        var data = Bytes.random(1, 300);
        var sums = new BlockSummer();
        sums.update(0, ByteBuffer.wrap(data));
        var record = new ObjectRecord(
                bucket.id(),
                "k",
                version,
                data.length,
                1,
                2,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                sums.finish(data.length),
                Optional.empty(),
                BlockSums.of());
        var write = Prepared.smallPut(bucket, Layout.work(version), record, data, new IndexBatch())
                .orElseThrow();
        drive().prepare(write).get(30, TimeUnit.SECONDS);
        loop().orElseThrow().close();
        target.close();
        target = openTarget();
        drives = new OwnDrives(
                SELF,
                new DriveArrivals(target.store(), (_, _) -> Long.MAX_VALUE),
                controller,
                loops,
                this::begin,
                proposer,
                threads);
        eventually(() -> drives.allKnown() && drives.isAnyHere());
        assertThat(drive().openIntents()).hasSize(1);
        assertThat(drive().keptWrites().isThere())
                .as("a reason of its own to sync")
                .isFalse();
        syncs.set(0);
    }

    /// It may be in the page cache only, and the first fence is answered with it.
    @Test
    void openIntentsOfTheProcessBeforeAreSyncedBeforeTheirDriveIsAnnounced() throws Exception {
        restartWithAnOpenIntent();
        assertThat(drives.announceAll("second")).hasSize(1);
        assertThat(syncs).hasValue(1);
    }

    @Test
    void driveWhoseOpenIntentsCannotBeSyncedIsNotAnnounced() throws Exception {
        restartWithAnOpenIntent();
        syncFails = true;
        assertThatThrownBy(() -> drives.announceAll("second"))
                .isInstanceOf(StoreException.DriveFailed.class)
                .hasStackTraceContaining("Input/output error");
        controller.apply(new Command.Register(SELF, "second", 1, "boot", List.of()));
        drives.report(2);
        threads.close(); // it may be announced there
        drives.follow(controller.current().replication());
        assertThat(entry().out()).isTrue();
        assertThat(running()).isZero();
    }

    /// Its index may have been lost since that was said.
    @Test
    void announcementOfBeforeThatComesLateDoesNotCount() {
        takeOut();
        controller.apply(new Command.DriveIn(SELF, 1, new Command.RegisteredDrive(id, 1, true), 1, "late"));
        int late = entry().incarnation();
        target.store().mountpaths().enable(id);
        eventually(() -> drives.isAnyHere());
        follow();
        assertThat(running()).isZero();
        report();
        eventually(() -> entry().out());
        report();
        eventually(() -> !entry().out());
        follow();
        assertThat(entry().incarnation()).isGreaterThan(late);
        assertThat(running()).isEqualTo(entry().incarnation());
    }

    private void takeOut() {
        target.store().mountpaths().disable(id);
        eventually(() -> running() == 0);
        report();
        eventually(() -> entry().out());
    }

    /// What the loop ordered may still change the drive, and another loop would not know.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noOtherLoopBeginsOnADriveWhileItIsOpen(boolean bug) {
        var loop = loop().orElseThrow();
        if (bug) {
            loop.run(() -> {
                throw new IllegalStateException("a bug");
            });
        } else {
            loop.close();
        }
        eventually(() -> running() == 0);
        follow();
        assertThat(running()).isZero();
        report();
        eventually(() -> entry().out());
        long version = controller.current().version();
        report();
        follow();
        assertThat(controller.current().version()).isEqualTo(version);
        assertThat(running()).isZero();
    }

    /// The drive stays open, and is not told of what becomes of its keys.
    @Test
    void whatWasReadFromADriveIsNotHotAfterItsLoopEnded() {
        target.put(target.own(), "k", Bytes.random(1, 300));
        assertThat(target.get(target.own(), "k").status()).isEqualTo(200);
        assertThat(target.store().hotSet().objects()).isEqualTo(1);
        loop().orElseThrow().close();
        eventually(() -> target.store().hotSet().objects() == 0);
        assertThat(target.get(target.own(), "k").status())
                .as("of a bucket with one replica")
                .isEqualTo(200);
    }

    /// It is ended first, so that no lease of it is left when the log hears of it.
    @Test
    void driveThatStandsStillIsOutUntilAllThatItsLoopOrderedIsDone() {
        var held = new CountDownLatch(1);
        var loop = loop().orElseThrow();
        loop.run(() -> await(held));
        eventually(() -> loop.stepBegan().isPresent());
        loop.changeBegan();
        assertThat(drives.standsStill(loop)).isTrue();
        assertThat(loop.leased()).isFalse();
        assertThat(loop.isClosed()).isTrue();
        assertThat(drives.standsStill(loop)).as("twice").isFalse();
        report();
        eventually(() -> entry().out());
        requireStaysOut();
        held.countDown();
        eventually(() -> loop.stepBegan().isEmpty());
        requireStaysOut();
        loop.changeEnded();
        eventually(() -> {
            report();
            return !entry().out();
        });
        follow();
        assertThat(running()).isEqualTo(entry().incarnation()).isGreaterThan(1);
        assertThat(loop().orElseThrow().drive()).as("it was open all the time").isSameAs(loop.drive());
        assertThat(drives.standstills()).isEqualTo(1);
    }

    private void requireStaysOut() {
        long version = controller.current().version();
        report();
        follow();
        assertThat(controller.current().version()).isEqualTo(version);
        assertThat(running()).isZero();
    }

    /// A drive that hangs does not notice that it is interrupted.
    private static void await(CountDownLatch held) {
        boolean done = false;
        while (!done) {
            try {
                held.await();
                done = true;
            } catch (InterruptedException _) {
                // its loop is closed
            }
        }
    }

    @Test
    void driveThatIsOpenedAgainBeginsUnderAnotherIncarnation() {
        var first = loop().orElseThrow().drive();
        takeOut();
        target.store().mountpaths().enable(id);
        eventually(() -> {
            report();
            return !entry().out();
        });
        follow();
        assertThat(running()).isEqualTo(entry().incarnation()).isGreaterThan(1);
        assertThat(loop().orElseThrow().drive()).isNotSameAs(first);
    }

    /// The reports of an ended process must not begin its drives here.
    @Test
    void nothingIsReportedWhenAnotherProcessHasRegistered() {
        controller.apply(new Command.Register(SELF, "other", 1, "boot", List.of()));
        assertThat(entry().out()).isTrue();
        long version = controller.current().version();
        report();
        assertThat(controller.current().version()).isEqualTo(version);
    }
}
