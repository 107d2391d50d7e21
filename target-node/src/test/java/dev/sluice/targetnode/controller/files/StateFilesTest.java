package dev.sluice.targetnode.controller.files;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StateFilesTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int SAVES = System.getProperty("long") == null ? 500 : 10_000;

    @TempDir
    private Path folder;

    private final Set<String> readOnly = ConcurrentHashMap.newKeySet();
    private long version;
    private int boot = 1;

    @BeforeEach
    void attachDrives() throws IOException {
        for (var drive : List.of("d0", "d1", "d2")) {
            Files.createDirectories(folder.resolve(drive + "/.sluice"));
        }
    }

    // ---- starts

    /// d1 was read-only for an hour, and d0 is dead.
    @Test
    void driveThatWasLeftOutCannotStartAlone() throws IOException {
        var files = saved("d0", "d1");
        readOnly.add("d1");
        var newest = save(files);
        readOnly.clear();
        assertThatThrownBy(() -> start("d1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("d1/.sluice/control/state")
                .hasMessageContaining("d0: it is no drive of this target")
                .hasMessageContaining("[drives] lost = [\"d0\"]")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
        assertThat(start("d0", "d1")).isEqualTo(newest);
        assertThat(start("d0")).as("it was alone").isEqualTo(newest);
    }

    @Test
    void driveThatComesBackCannotStandInForOneThatFailsThen() throws IOException {
        var files = saved("d0", "d1");
        readOnly.add("d0");
        save(files);
        readOnly.clear();
        var counted = save(files);
        awaitDue(files);
        assertThat(names("d0")).as("d0 was not named yet").isEqualTo(Set.of("d1"));
        readOnly.add("d1");
        assertThatThrownBy(() -> save(files)).hasMessageContaining("d1=");
        readOnly.clear();
        assertThat(start("d1")).isEqualTo(counted);
        assertThatThrownBy(() -> start("d0")).hasMessageContaining("d1: ");
        assertThat(start("d0", "d1")).isEqualTo(counted);
        assertThatThrownBy(() -> save(files)).hasMessageContaining("restart");
    }

    @Test
    void driveThatComesBackIsNamedOnceItHasTakenASave() throws IOException {
        var files = saved("d0", "d1");
        readOnly.add("d0");
        save(files);
        assertThat(names("d1")).isEqualTo(Set.of("d1"));
        assertThat(files.isDue()).as("nothing is tried while it fails").isFalse();
        readOnly.clear();
        save(files);
        assertThat(files.isKeptOn("d0")).isFalse();
        awaitDue(files);
        var both = save(files);
        assertThat(files.isDue()).isFalse();
        assertThat(names("d0")).isEqualTo(Set.of("d0", "d1"));
        assertThat(names("d1")).isEqualTo(Set.of("d0", "d1"));
        assertThatThrownBy(() -> start("d0")).hasMessageContaining("d1: ");
        assertThat(start("d0", "d1")).isEqualTo(both);
    }

    /// Else d0 and d2 could start with an attempt of a crash, and d1 alone had gone on.
    @Test
    void saveThatLosesADriveNamesNoNewOne() throws IOException {
        var drives = TestDrives.at(folder.resolve("d0"), folder.resolve("d1"));
        var files = files(drives);
        save(files);
        awaitDue(files);
        save(files);
        drives.add(folder.resolve("d2"));
        save(files);
        awaitDue(files);
        assertThat(copy("d2").names()).isEqualTo(Set.of("d0", "d1"));
        readOnly.add("d1");
        save(files);
        eventually(() -> names("d2").equals(Set.of("d0")));
        save(files);
        assertThat(names("d2")).isEqualTo(Set.of("d0", "d2"));
    }

    @Test
    void readOnlyDriveStopsNoStartWhenAllHaveTheNewest() throws IOException {
        var newest = save(saved("d0", "d1"));
        readOnly.add("d1");
        save(opened(newest, "d0", "d1"));
        assertThat(names("d0")).isEqualTo(Set.of("d0"));
    }

    @Test
    void startAfterACrashInASaveNeedsAllThatTheSaveNamed() throws IOException {
        saveOfWhichOnlyD0KnowsAfter(saved("d0", "d1"));
        readOnly.add("d1");
        var files = opened(state(version), "d0", "d1"); // its outcome was unknown
        assertThatThrownBy(() -> save(files))
                .hasMessageContaining("d1 at " + folder.resolve("d1") + ": java.io.IOException: read-only")
                .hasMessageContaining("unmount them, and give them up with [drives] lost = [\"d1\"]")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
        var unmounted = files(TestDrives.at(folder.resolve("d0")).lose("d1"));
        assertThat(unmounted.load()).as("as the message says").contains(state(version));
        readOnly.clear();
        var newest = save(opened(state(version), "d0", "d1"));
        assertThat(names("d1")).isEqualTo(Set.of("d0", "d1"));
        assertThat(start("d0", "d1")).isEqualTo(newest);
    }

    private void saveOfWhichOnlyD0KnowsAfter(StateFiles files) throws IOException {
        var before = Files.readAllBytes(file("d1"));
        save(files);
        Files.write(file("d1"), before);
    }

    /// Else a later start without d1 would not know of this boot number, and use it again.
    @Test
    void driveThatCameBackTakesAnAttemptAfterTheOthers() throws IOException {
        var drives = TestDrives.at(folder.resolve("d0"));
        var files = files(drives);
        save(files);
        drives.add(folder.resolve("d1"));
        save(files);
        awaitDue(files);
        readOnly.add("d0");
        var before = Files.readAllBytes(file("d1"));
        assertThatThrownBy(() -> save(files)).hasMessageContaining("d0=");
        assertThat(file("d1")).hasBinaryContent(before);
    }

    @Test
    void startWritesFirstWhereTheNewestCopyIs() throws IOException {
        saveOfWhichOnlyD0KnowsAfter(saved("d0", "d1"));
        var before = Files.readAllBytes(file("d1"));
        readOnly.add("d0");
        var files = opened(state(version), "d0", "d1");
        assertThatThrownBy(() -> save(files)).hasMessageContaining("d0 at ");
        assertThat(file("d1")).hasBinaryContent(before);
    }

    @Test
    void newClusterBeginsWithOneDrive() throws IOException {
        var files = files("d0", "d1");
        assertThat(files.load()).isEmpty();
        var first = save(files);
        assertThat(names("d0")).isEqualTo(Set.of("d0"));
        awaitDue(files);
        Files.delete(file("d1")); // killed before it was written
        assertThat(start("d0", "d1")).isEqualTo(first);
    }

    @Test
    void driveThatIsNotThereMayHaveTheState() {
        var away = new StateDrive("d1", folder.resolve("d1"), true, () -> {
            throw new IllegalStateException("no drive is at " + folder.resolve("d1"));
        });
        assertThatThrownBy(() -> files(only(List.of(away))).load())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no readable copy of the cluster's state: d1 at " + folder.resolve("d1"));
    }

    /// Another disk was mounted where d1 was.
    @Test
    void copyOnAnotherDiskIsNotTheDrives() throws IOException {
        var files = saved("d0", "d1");
        save(files);
        var replaced = new StateDrive("d1", folder.resolve("d1"), true, () -> {
            throw new IllegalStateException("another drive is mounted there");
        });
        var good = new StateDrive("d0", folder.resolve("d0"), true, () -> {});
        assertThatThrownBy(() -> files(only(List.of(good, replaced))).load())
                .hasMessageContaining("another drive is mounted there");
        var before = Files.readAllBytes(file("d1"));
        var known = new ArrayList<>(List.of(good, new StateDrive("d1", folder.resolve("d1"), true, () -> {})));
        var running = files(only(known));
        running.load();
        boot++;
        known.set(1, replaced);
        save(running);
        assertThat(file("d1")).hasBinaryContent(before);
        assertThat(running.isKeptOn("d1")).isFalse();
    }

    @Test
    void lostDriveIsNotWaitedFor() throws IOException {
        var newest = save(saved("d0", "d1"));
        var drives = TestDrives.at(folder.resolve("d0")).lose("d1");
        var files = files(drives);
        assertThat(files.load()).contains(newest);
        boot++;
        save(files);
        assertThat(names("d0")).isEqualTo(Set.of("d0"));
        assertThat(start("d0")).isEqualTo(state(version));
    }

    @Test
    void driveThatIsThereIsNotLost() throws IOException {
        var files = saved("d0", "d1");
        readOnly.add("d0");
        var newest = save(files);
        readOnly.clear();
        var both = TestDrives.at(folder.resolve("d0"), folder.resolve("d1")).lose("d1");
        assertThat(files(both).load()).contains(newest);
    }

    // ---- drives that are to go

    @Test
    void driveThatIsToGoStaysUntilAnotherHasTheState() throws IOException {
        var drives = TestDrives.at(folder.resolve("d0"));
        var files = files(drives);
        files.load();
        save(files);
        drives.keep("d0", false);
        assertThat(files.isDue()).as("no other has it").isFalse();
        save(files);
        assertThat(files.isKeptOn("d0")).isTrue();
        drives.add(folder.resolve("d1"));
        save(files);
        awaitDue(files);
        save(files);
        assertThat(names("d0")).isEqualTo(Set.of("d0", "d1"));
        assertThat(names("d1")).isEqualTo(Set.of("d1"));
        assertThat(files.isDue()).isFalse();
        assertThat(files.isKeptOn("d0")).isFalse();
        drives.remove("d0");
        assertThat(start("d1")).isEqualTo(state(version));
        assertThatThrownBy(() -> start("d0")).hasMessageContaining("d1: ");
    }

    /// It would be the only one that the save names.
    @Test
    void driveThatIsToGoStaysWhenTheOtherOneFailsInThatSave() throws IOException {
        var drives = TestDrives.at(folder.resolve("d0"), folder.resolve("d1"));
        var files = files(drives);
        save(files);
        awaitDue(files);
        save(files);
        drives.keep("d0", false);
        assertThat(files.isDue()).isTrue();
        readOnly.add("d1");
        var newest = save(files);
        assertThat(names("d0")).isEqualTo(Set.of("d0"));
        assertThat(files.isKeptOn("d0")).isTrue();
        assertThat(start("d0")).isEqualTo(newest);
        boot--;
        readOnly.clear();
        save(files);
        awaitDue(files);
        save(files);
        assertThat(names("d1")).isEqualTo(Set.of("d1"));
        assertThat(files.isKeptOn("d0")).isFalse();
    }

    /// The drive that stays took the first of two writes of that save, and not the second: it may have it all the same.
    @Test
    void changeCountsAlsoWhenTheSaveThatNamesFewerDrivesFails() throws IOException {
        var writes = new AtomicInteger();
        var failing = new StateDisk.Local() {
            @Override
            public void write(Path file, byte[] head, byte[] state) throws IOException {
                if (file.startsWith(folder.resolve("d1")) && writes.incrementAndGet() > 3) {
                    throw new IOException("it failed");
                }
                super.write(file, head, state);
            }
        };
        var drives = TestDrives.at(folder.resolve("d0"), folder.resolve("d1"));
        var files = new StateFiles(drives, SELF, LONG, failing);
        save(files);
        awaitDue(files);
        save(files);
        drives.keep("d0", false);
        var newest = save(files);
        assertThatThrownBy(() -> save(files)).hasMessageContaining("restart the controller");
        assertThat(start("d0", "d1")).isEqualTo(newest);
    }

    @Test
    void whatIsNoStateOfThisFormatIsRefused() throws IOException {
        saved("d0");
        assertThat(Files.readString(file("d0"), StandardCharsets.ISO_8859_1)).startsWith("sluice-state 8 ");
        Files.write(file("d0"), new byte[100]);
        assertThatThrownBy(() -> start("d0")).hasMessageContaining("not a state file");
    }

    @Test
    void laterBootIsNewerWhateverItsSave() throws IOException {
        var files = saved("d0");
        save(files);
        save(files);
        var next = save(opened(state(version), "d0"));
        var first = Files.readAllBytes(file("d0"));
        boot--;
        save(files);
        assertThat(copy("d0").save()).isGreaterThan(1);
        Files.createDirectories(file("d1").getParent());
        Files.write(file("d1"), first);
        assertThat(start("d0", "d1")).isEqualTo(next);
    }

    // ---- drives that hang

    @Test
    void driveThatHangsIsWaitedForOnceAndGetsTheNewestStateWhenItGoesOn() throws Exception {
        var goesOn = new CountDownLatch(1);
        var writes = new AtomicInteger();
        var hanging = new StateDisk.Local() {
            @Override
            public void write(Path file, byte[] head, byte[] state) throws IOException {
                if (file.startsWith(folder.resolve("d1")) && writes.incrementAndGet() > 2) {
                    awaited(goesOn);
                }
                super.write(file, head, state);
            }
        };
        var drives = TestDrives.at(folder.resolve("d0"), folder.resolve("d1"));
        var files = new StateFiles(drives, SELF, Duration.ofSeconds(1), hanging);
        save(files);
        awaitDue(files);
        save(files);
        assertThat(files.isKeptOn("d1")).isTrue();
        for (int i = 0; i < 200; i++) {
            save(files);
        }
        assertThat(names("d0")).isEqualTo(Set.of("d0"));
        assertThat(start("d0")).isEqualTo(state(version));
        assertThat(files.isDue()).isFalse();
        goesOn.countDown();
        eventually(() -> copy("d1").state().equals(state(version)));
        assertThat(writes).as("what was not begun is never written").hasValue(4);
        eventually(files::isDue);
        save(files);
        assertThat(names("d0")).isEqualTo(Set.of("d0", "d1"));
    }

    @Test
    void saveDoesNotWaitForADriveThatCameBack() throws IOException {
        var goesOn = new CountDownLatch(1);
        var hanging = new StateDisk.Local() {
            @Override
            public void write(Path file, byte[] head, byte[] state) throws IOException {
                if (file.startsWith(folder.resolve("d1"))) {
                    awaited(goesOn);
                }
                super.write(file, head, state);
            }
        };
        var drives = TestDrives.at(folder.resolve("d0"));
        var files = new StateFiles(drives, SELF, LONG, hanging);
        save(files);
        drives.add(folder.resolve("d1"));
        CompletableFuture.runAsync(() -> {
                    saved(files);
                    saved(files);
                })
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        assertThat(files.isDue()).as("it has no copy yet").isFalse();
        goesOn.countDown();
        awaitDue(files);
        save(files);
        assertThat(names("d1")).isEqualTo(Set.of("d0", "d1"));
    }

    /// While changes come one after the other, a copy for it is always under way.
    @Test
    void driveThatCameBackIsNamedAlsoWhileItTakesACopy() throws IOException {
        var one = new CountDownLatch(1);
        var two = new CountDownLatch(1);
        var ofOne = new AtomicInteger();
        var ofTwo = new AtomicInteger();
        var slow = new StateDisk.Local() {
            @Override
            public void write(Path file, byte[] head, byte[] state) throws IOException {
                if (file.startsWith(folder.resolve("d0"))) {
                    if (ofOne.incrementAndGet() == 3) {
                        two.countDown();
                    }
                } else {
                    awaited(ofTwo.incrementAndGet() == 1 ? one : two);
                }
                super.write(file, head, state);
            }
        };
        var drives = TestDrives.at(folder.resolve("d0"), folder.resolve("d1"));
        var files = new StateFiles(drives, SELF, LONG, slow);
        save(files);
        save(files);
        one.countDown();
        eventually(() -> ofTwo.get() == 2);
        awaitDue(files);
        save(files);
        assertThat(names("d1")).isEqualTo(Set.of("d0", "d1"));
    }

    private void saved(StateFiles files) {
        try {
            save(files);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Also when the next change comes at once.
    @Test
    void eachChangeIsOnAllDrivesThatTakeItBeforeItIsAcknowledged() throws IOException {
        var ofOne = new AtomicInteger();
        var ofTwo = new AtomicInteger();
        var counting = new StateDisk.Local() {
            @Override
            public void write(Path file, byte[] head, byte[] state) {
                (file.startsWith(folder.resolve("d0")) ? ofOne : ofTwo).incrementAndGet();
            }
        };
        var files = new StateFiles(
                TestDrives.at(folder.resolve("d0"), folder.resolve("d1")), SELF, Duration.ofSeconds(60), counting);
        save(files);
        awaitDue(files);
        for (int i = 2; i <= SAVES; i++) {
            save(files);
            assertThat(List.of(ofOne.get(), ofTwo.get())).isEqualTo(List.of(i, i));
        }
    }

    @Test
    void drivesThatAllHangTakeNoChange() throws IOException {
        var goesOn = new CountDownLatch(1);
        saved("d0", "d1");
        var hanging = new StateDisk.Local() {
            @Override
            public void write(Path file, byte[] head, byte[] state) {
                awaited(goesOn);
            }
        };
        var files = new StateFiles(
                TestDrives.at(folder.resolve("d0"), folder.resolve("d1")), SELF, Duration.ofMillis(50), hanging);
        files.load();
        boot++;
        assertThatThrownBy(() -> save(files))
                .hasMessageContaining("none of the drives that keep the cluster's state takes")
                .hasMessageContaining("d0=it hangs, d1=it hangs");
        goesOn.countDown();
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- a controller's drives

    private StateDisk disk() {
        return new StateDisk.Local() {
            @Override
            public void write(Path file, byte[] head, byte[] state) throws IOException {
                if (readOnly.contains(folder.relativize(file).getName(0).toString())) {
                    throw new IOException("read-only");
                }
                super.write(file, head, state);
            }
        };
    }

    private static StateDrives only(List<StateDrive> drives) {
        return new StateDrives() {
            @Override
            public List<StateDrive> now() {
                return List.copyOf(drives);
            }

            @Override
            public Set<String> lost() {
                return Set.of();
            }
        };
    }

    private StateFiles files(StateDrives drives) {
        return new StateFiles(drives, SELF, LONG, disk());
    }

    private StateFiles files(String... ids) {
        var drives = TestDrives.at();
        for (var id : ids) {
            drives.add(folder.resolve(id));
        }
        return files(drives);
    }

    /// With a state that is kept on all of them.
    private StateFiles saved(String... ids) throws IOException {
        var files = files(ids);
        save(files);
        if (ids.length > 1) {
            awaitDue(files);
        }
        save(files);
        assertThat(names(ids[0])).isEqualTo(Set.of(ids));
        return files;
    }

    /// Until a drive that came back has a copy, and can be named.
    private static void awaitDue(StateFiles files) {
        eventually(files::isDue);
    }

    private ClusterState save(StateFiles files) throws IOException {
        version++;
        var state = state(version);
        files.save(state);
        return state;
    }

    /// As this boot of the controller has it.
    private ClusterState state(long version) {
        var empty = ClusterState.create("cluster", new TreeSet<>(Set.of(SELF)), new TreeMap<>());
        var before = new ClusterState(
                version - 1,
                empty.clusterId(),
                empty.members(),
                empty.map(),
                empty.buckets(),
                new TreeMap<>(Map.of("key", "secret")),
                empty.replication(),
                empty.jobs());
        return Planner.next(before, new Command.ControllerBoot(SELF, boot));
    }

    /// As a start does.
    private StateFiles opened(ClusterState expected, String... ids) throws IOException {
        var files = files(ids);
        assertThat(files.load()).contains(expected);
        boot++;
        return files;
    }

    private ClusterState start(String... ids) throws IOException {
        return files(ids).load().orElseThrow();
    }

    private Path file(String id) {
        return folder.resolve(id + "/.sluice/control/state");
    }

    private StateCopy copy(String id) {
        try {
            return StateCopy.of(Files.readAllBytes(file(id)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Set<String> names(String id) {
        return copy(id).names();
    }
}
