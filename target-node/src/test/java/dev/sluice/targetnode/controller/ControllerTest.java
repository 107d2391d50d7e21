package dev.sluice.targetnode.controller;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.controller.files.StateFiles;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.controller.judge.FakeClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ControllerTest {
    private static final NodeId ONE = new NodeId("target001");
    private static final NodeId TWO = new NodeId("target002");

    @TempDir
    private Path drives;

    @BeforeEach
    void attachDrives() throws IOException {
        for (int drive = 0; drive < 2; drive++) {
            Files.createDirectories(drives.resolve("d" + drive + "/.sluice"));
        }
    }

    @Test
    void aClusterIsPublishedOnlyWhenAllItsTargetsHaveJoined() throws IOException {
        var controller = open(ONE, TWO);
        controller.apply(join(ONE));
        assertThatThrownBy(controller::current).isInstanceOf(StoreException.Unavailable.class);
        var watched = controller.watch(0);
        controller.apply(join(TWO));
        assertThat(watched).isCompleted();
        assertThat(controller.current().map().targets()).hasSize(2);
    }

    @Test
    void nobodyWaitsForAControllerThatStops() throws IOException {
        var controller = formed();
        long version = controller.current().version();
        var watched = controller.watch(version);
        assertThat(watched).isNotDone();
        controller.endWatches();
        assertThat(watched).isCompletedExceptionally();
        assertThat(controller.watch(version)).isCompletedExceptionally();
        assertThat(controller.watch(version - 1)).isCompleted();
    }

    @Test
    void whatWasAcknowledgedIsThereAfterARestart() throws IOException {
        var before = formed();
        var properties = BucketProperties.defaults(Optional.of(new BackendSpec(
                "s3://cloud",
                Optional.empty(),
                Optional.of("http://127.0.0.1:9000"),
                Optional.empty(),
                Optional.of("lab"))));
        before.apply(new Command.CreateBucket("shards", 42, properties));
        var after = open(ONE, TWO).current();
        assertThat(after.version())
                .as("its boot number")
                .isEqualTo(before.current().version() + 1);
        assertThat(after.map()).isEqualTo(before.current().map());
        assertThat(after.buckets()).isEqualTo(before.current().buckets());
        assertThat(after.credentials()).isEqualTo(before.current().credentials());
        assertThat(after.replication().controllers()).isEqualTo(Map.of(ONE, 2));
    }

    @Test
    void aBucketIdIsNeverReused() throws IOException {
        var controller = formed();
        controller.apply(create("a"));
        long first = controller.current().buckets().find("a").orElseThrow().id();
        var marked = controller.apply(new Command.MarkDeleting("a"));
        long deletion = marked.buckets().find("a").orElseThrow().deletion();
        controller.apply(new Command.RemoveBucket("a", first, deletion));
        controller = open(ONE, TWO);
        controller.apply(create("a"));
        assertThat(controller.current().buckets().find("a").orElseThrow().id()).isGreaterThan(first);
    }

    @Test
    void nobodyElseMayReadTheStateAndItHasNoKeysOfClients() throws IOException {
        var leftByACrash = drives.resolve("d0/.sluice/control/state.new");
        Files.createDirectories(leftByACrash.getParent());
        Files.setPosixFilePermissions(Files.createFile(leftByACrash), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(formed().current().credentials()).isEqualTo(Map.of("key", "secret"));
        for (int drive = 0; drive < 2; drive++) {
            var file = drives.resolve("d" + drive + "/.sluice/control/state");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("secret");
        }
    }

    /// Earlier builds wrote clients' keys into the state. The settings of this start count.
    @Test
    void keysInAStateOfAnEarlierBuildAreForgotten() throws IOException {
        var before = formed().current();
        var files = new StateFiles(TestDrives.at(drives.resolve("d0"), drives.resolve("d1")), ONE);
        var _ = files.load();
        files.save(Planner.next(before, new Command.ControllerBoot(ONE, 2))
                .carrying(new TreeMap<>(Map.of("old", "outdated"))));
        var after = open(ONE, TWO);
        awaitKeptOnBoth(after);
        assertThat(after.current().credentials()).isEqualTo(Map.of("key", "secret"));
        assertThat(Files.readString(drives.resolve("d0/.sluice/control/state"), StandardCharsets.ISO_8859_1))
                .doesNotContain("outdated");
    }

    /// It may have been the newer one.
    @Test
    void oneDamagedCopyIsRefusedUntilItIsReplaced() throws IOException {
        var before = formed();
        before.apply(create("a"));
        for (int drive = 0; drive < 2; drive++) {
            var file = drives.resolve("d" + drive + "/.sluice/control/state");
            var good = Files.readAllBytes(file);
            for (int at : new int[] {0, 13, 17, 26, good.length / 2, good.length - 1}) {
                var bad = good.clone();
                bad[at] ^= 1;
                refusesDamaged(file, bad, drive);
            }
            refusesDamaged(file, new byte[3], drive);
            refusesDamaged(file, Arrays.copyOf(good, good.length - 1), drive);
            Files.copy(
                    drives.resolve("d" + (1 - drive) + "/.sluice/control/state"),
                    file,
                    StandardCopyOption.REPLACE_EXISTING);
            var after = open(ONE, TWO);
            assertThat(after.current().buckets()).isEqualTo(before.current().buckets());
        }
    }

    private void refusesDamaged(Path file, byte[] bad, int drive) throws IOException {
        Files.write(file, bad);
        assertThatThrownBy(() -> open(ONE, TWO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("d" + drive + " at ")
                .hasMessageContaining("[drives] lost = [\"d" + drive + "\"]")
                .hasMessageContaining("put that one in its place");
        assertThat(file).hasBinaryContent(bad);
    }

    @Test
    void whenEveryCopyIsDamagedItRefusesToForget() throws IOException {
        formed();
        for (int drive = 0; drive < 2; drive++) {
            Files.write(drives.resolve("d" + drive + "/.sluice/control/state"), new byte[100]);
        }
        assertThatThrownBy(() -> open(ONE, TWO)).isInstanceOf(IOException.class).hasMessageContaining("backup");
    }

    @Test
    void anotherSetOfTargetsIsRefusedByName() throws IOException {
        formed();
        assertThatThrownBy(() -> open(ONE)).hasMessageContaining("target002");
        assertThatThrownBy(() -> open(ONE, TWO, new NodeId("target003"))).hasMessageContaining("target003");
    }

    @Test
    void aTargetThatIsNotAMemberOrChangesItsWeightIsRefused() throws IOException {
        var controller = formed();
        assertThatThrownBy(() -> controller.apply(join(new NodeId("target009"))))
                .isInstanceOf(StoreException.InvalidArgument.class);
        assertThatThrownBy(() ->
                        controller.apply(new Command.Join(new Node(ONE, Role.TARGET, "http://127.0.0.1:1", "", 2))))
                .isInstanceOf(StoreException.InvalidArgument.class);
        var moved = new Node(ONE, Role.TARGET, "http://127.0.0.1:2", "", 1);
        assertThat(controller.apply(new Command.Join(moved)).map().nodes()).containsEntry(ONE, moved);
    }

    @Test
    void aStateThatCannotBeWrittenIsNotPublishedAndStopsChanges() throws IOException {
        var controller = formed();
        var before = controller.current();
        for (int drive = 0; drive < 2; drive++) {
            var folder = drives.resolve("d" + drive + "/.sluice/control");
            Files.move(folder, drives.resolve("away" + drive));
            Files.writeString(folder, "a file where the folder should be");
        }
        assertThatThrownBy(() -> controller.apply(create("a"))).isInstanceOf(StoreException.DriveFailed.class);
        assertThatThrownBy(() -> controller.apply(join(ONE)))
                .as("it would change nothing, but the newest state is not known")
                .isInstanceOf(StoreException.Unavailable.class);
        assertThat(controller.current()).isEqualTo(before);
        assertThatThrownBy(() -> controller.apply(create("b"))).isInstanceOf(StoreException.Unavailable.class);
    }

    @Test
    void aDriveThatIsAwayStopsNothingAndNothingIsMadeInItsPlace() throws IOException {
        var controller = formed();
        controller.apply(create("a"));
        Files.move(drives.resolve("d0"), drives.resolve("away"));
        controller.apply(create("b"));
        assertThat(drives.resolve("d0")).doesNotExist();
        Files.createDirectory(drives.resolve("d0")); // an empty mount point
        controller.apply(create("c"));
        assertThat(drives.resolve("d0")).isEmptyDirectory();
        Files.delete(drives.resolve("d0"));
        Files.move(drives.resolve("away"), drives.resolve("d0"));
        var restarted = open(ONE, TWO);
        assertThat(restarted.current().buckets().buckets()).containsOnlyKeys("a", "b", "c");
        awaitKeptOnBoth(restarted); // what is still being written there would be in the way of the folder's deletion
    }

    /// Nobody need change anything for it.
    @Test
    void stateIsKeptOnTheDrivesThatAreToKeepIt() throws IOException {
        var known = TestDrives.at(drives.resolve("d0"), drives.resolve("d1"));
        var clock = new FakeClock();
        var controller = Controller.open(known, Set.of(ONE, TWO), new TreeMap<>(Map.of("key", "secret")), clock);
        awaitKeptOnBoth(controller);
        known.keep("d0", false);
        controller.judge();
        assertThat(controller.isKeptOn("d0")).as("it is to go").isFalse();
        assertThat(controller.isKeptOn("d1")).isTrue();
        known.remove("d0");
        var one = Files.readAllBytes(drives.resolve("d1/.sluice/control/state"));
        controller.judge();
        assertThat(drives.resolve("d1/.sluice/control/state")).hasBinaryContent(one);
        assertThat(Controller.open(known, Set.of(ONE, TWO), new TreeMap<>(), clock)
                        .isKeptOn("d1"))
                .as("a detached drive is not missed")
                .isTrue();
    }

    @Test
    void slotsTargetsAndBootNumbersAreThereAfterARestart() throws IOException {
        var before = replicated();
        var after = open(ONE, TWO);
        var known = after.current().replication();
        assertThat(known.tables()).isEqualTo(before.current().replication().tables());
        assertThat(known.targets()).isEqualTo(before.current().replication().targets());
        assertThat(known.drives()).isEqualTo(before.current().replication().drives());
        assertThat(known.lastIncarnation()).isEqualTo(2);
        assertThat(known.controllers()).isEqualTo(Map.of(ONE, 2));
    }

    @Test
    void stateOfAnotherVersionIsRefusedInOneLineAndStays() throws IOException {
        formed();
        var old = "sluice-state 1 00000000\n{}".getBytes(StandardCharsets.US_ASCII);
        for (int drive = 0; drive < 2; drive++) {
            Files.write(drives.resolve("d" + drive + "/.sluice/control/state"), old);
        }
        assertThatThrownBy(() -> open(ONE, TWO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another version")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
        for (int drive = 0; drive < 2; drive++) {
            assertThat(drives.resolve("d" + drive + "/.sluice/control/state")).hasBinaryContent(old);
        }
    }

    @Test
    void watcherGetsTheChangesAfterItsVersionAndElseEverything() throws IOException {
        var controller = replicated();
        var two = controller.current().replication().target(TWO).orElseThrow();
        controller.apply(new Command.Down(TWO, two.version(), new TreeMap<>()));
        var known = controller.current();
        assertThat(controller.updateSince(known.version())).isEqualTo(new StateUpdate.Changes(List.of()));
        controller.apply(create("one"));
        controller.apply(new Command.Expel(List.of(new Command.SlotDrive(1, 7, 1, ONE + "-drive", 1))));
        var changes = ((StateUpdate.Changes) controller.updateSince(known.version())).changes();
        assertThat(changes).hasSize(2);
        var followed = known;
        for (var logged : changes) {
            followed = followed.apply(logged.change()).orElseThrow();
        }
        assertThat(changes.stream().map(logged -> logged.change().size())).containsExactly(0, 1);
        assertThat(followed).isEqualTo(controller.current());
        assertThat(controller.updateSince(-1)).isEqualTo(new StateUpdate.Snapshot(controller.current()));
        var restarted = open(ONE, TWO);
        assertThat(restarted.updateSince(known.version()))
                .as("it does not have these changes any more")
                .isEqualTo(new StateUpdate.Snapshot(restarted.current()));
    }

    @Test
    void targetThatDoesNotBeatGoesDownAndOneThatReturnsComesUp() throws IOException {
        var clock = new FakeClock();
        var controller = replicated(clock);
        clock.passes(2200);
        assertThat(controller.beat(Heartbeat.of(ONE, 1, Set.of())))
                .isEqualTo(new HeartbeatAnswer(
                        ONE, true, controller.current().version(), new Leadership(0, Optional.of(ONE))));
        clock.passes(1);
        controller.judge();
        assertThat(isUp(controller, ONE)).isTrue();
        assertThat(isUp(controller, TWO)).isFalse();
        assertThat(controller
                        .current()
                        .replication()
                        .table(1)
                        .orElseThrow()
                        .row(0)
                        .inSync())
                .as("it stays in-sync until a living one asks")
                .hasSize(2);
        assertThat(controller.beat(Heartbeat.of(TWO, 2, Set.of())).promised()).isFalse();
        controller.start();
        eventually(() -> isUp(controller, TWO));
        assertThat(controller.beat(Heartbeat.of(TWO, 2, Set.of())).promised()).isTrue();
        controller.close();
        assertThatThrownBy(() -> controller.apply(create("late"))).isInstanceOf(StoreException.Unavailable.class);
    }

    /// As under a debugger, or on a machine with too little time for it.
    @Test
    @Timeout(60)
    void controllerThatStoodStillDeclaresNobodyDownForThat() throws IOException {
        var clock = new FakeClock();
        var looks = new AtomicInteger();
        var controller = replicated(counting(clock, looks));
        clock.passes(1100);
        beats(controller);
        controller.start();
        awaitLooks(looks);
        clock.passes(5000);
        awaitLooks(looks);
        assertThat(isUp(controller, ONE)).isTrue();
        assertThat(isUp(controller, TWO)).isTrue();
        eventually(() -> {
            clock.passes(20);
            return !isUp(controller, ONE) && !isUp(controller, TWO);
        });
        controller.close();
    }

    @Test
    @Timeout(60)
    void judgeGoesOnAfterAnException() throws IOException {
        var clock = new FakeClock();
        var looks = new AtomicInteger();
        var counting = counting(clock, looks);
        var controller = replicated(() -> {
            long now = counting.nanos();
            if (looks.get() > 1 && looks.get() < 5) {
                throw new IllegalStateException("a bug");
            }
            return now;
        });
        controller.start();
        eventually(() -> {
            clock.passes(20);
            return !isUp(controller, ONE) && !isUp(controller, TWO);
        });
        controller.close();
    }

    /// A clock that counts how often the controller's own thread reads it.
    private static NanoClock counting(FakeClock clock, AtomicInteger looks) {
        return () -> {
            if (Thread.currentThread().getName().startsWith("controller")) {
                looks.incrementAndGet();
            }
            return clock.nanos();
        };
    }

    private static void awaitLooks(AtomicInteger looks) {
        int most = looks.get() + 20;
        eventually(() -> looks.get() > most);
    }

    @Test
    void restartedControllerPromisesNothingAtFirst() throws IOException {
        var clock = new FakeClock();
        replicated(clock);
        var controller = open(clock);
        assertThat(controller.beat(Heartbeat.of(ONE, 1, Set.of())).promised()).isFalse();
        clock.passes(1100);
        controller.judge();
        assertThat(controller.beat(Heartbeat.of(ONE, 1, Set.of())).promised()).isTrue();
    }

    @Test
    void learnerThatRefusedIsChosenAgainAfterTwoSeconds() throws IOException {
        var clock = new FakeClock();
        var controller = replicated(clock);
        clock.passes(1101);
        controller.apply(register(TWO, 2, false));
        var learner = row(controller).members().getLast();
        assertThat(learner.inSync()).isFalse();
        var off = new Command.TakeOff(
                List.of(new Command.SlotDrive(1, 0, row(controller).epoch(), learner.drive(), learner.incarnation())));
        controller.apply(off);
        controller.apply(new Command.Fill());
        beats(controller);
        controller.judge();
        assertThat(row(controller).members()).hasSize(1);
        clock.passes(1000);
        beats(controller);
        clock.passes(1000);
        beats(controller);
        controller.judge();
        assertThat(row(controller).members()).hasSize(2);
    }

    private static SlotRow row(Controller controller) {
        return controller.current().replication().table(1).orElseThrow().row(0);
    }

    private static void beats(Controller controller) {
        controller.beat(Heartbeat.of(ONE, 1, Set.of()));
        controller.beat(Heartbeat.of(TWO, 3, Set.of()));
    }

    private static boolean isUp(Controller controller, NodeId target) {
        return controller.current().replication().target(target).orElseThrow().up();
    }

    private Controller replicated() throws IOException {
        return replicated(new FakeClock());
    }

    /// With a bucket of two replicas.
    private Controller replicated(NanoClock clock) throws IOException {
        var controller = open(clock);
        controller.apply(join(ONE));
        controller.apply(join(TWO));
        controller.apply(register(ONE, 0, true));
        controller.apply(register(TWO, 0, true));
        controller.apply(new Command.CreateBucket(
                "twice",
                42,
                new BucketProperties(Optional.empty(), Durability.FSYNC, Optional.empty(), 1, 2, Optional.empty())));
        awaitKeptOnBoth(controller);
        return controller;
    }

    private static Command.Register register(NodeId target, int ifIncarnation, boolean sound) {
        return new Command.Register(
                target,
                "nonce" + ifIncarnation,
                ifIncarnation,
                "boot",
                List.of(new Command.RegisteredDrive(target + "-drive", 1, sound)));
    }

    private Controller open(NanoClock clock) throws IOException {
        return Controller.open(
                TestDrives.at(drives.resolve("d0"), drives.resolve("d1")),
                Set.of(ONE, TWO),
                new TreeMap<>(Map.of("key", "secret")),
                clock);
    }

    private Controller formed() throws IOException {
        var controller = open(ONE, TWO);
        controller.apply(join(ONE));
        controller.apply(join(TWO));
        awaitKeptOnBoth(controller);
        return controller;
    }

    /// A drive without a copy gets one, and is named by the next save.
    private static void awaitKeptOnBoth(Controller controller) {
        eventually(() -> {
            controller.judge();
            return controller.isKeptOn("d0") && controller.isKeptOn("d1");
        });
    }

    private Controller open(NodeId... members) throws IOException {
        return Controller.open(
                TestDrives.at(drives.resolve("d0"), drives.resolve("d1")),
                Set.of(members),
                new TreeMap<>(Map.of("key", "secret")));
    }

    private static Command.Join join(NodeId id) {
        return new Command.Join(new Node(id, Role.TARGET, "http://127.0.0.1:1", "", 1));
    }

    private static Command.CreateBucket create(String name) {
        return new Command.CreateBucket(name, 42, BucketProperties.defaults(Optional.empty()));
    }
}
