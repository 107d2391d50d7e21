package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.TargetNode;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.StateDrive;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The drives of a target on which a controller keeps the cluster's state.
@Timeout(120)
class ControllersDrivesTest {
    private static final ResilverSettings AT_ONCE = new ResilverSettings(0, Duration.ofMillis(50));

    @TempDir
    private Path folder;

    private static Controller controller(ObjectStore store, String... lost) throws IOException {
        return Controller.open(
                TargetNode.stateDrives(store, Set.of(lost)), Set.of(new NodeId("target001")), new TreeMap<>());
    }

    private static List<String> ids(ObjectStore store) {
        return store.stats().stream().map(DriveStats::id).toList();
    }

    private static StateDrive drive(ObjectStore store, String id) {
        return TargetNode.stateDrives(store, Set.of()).now().stream()
                .filter(drive -> drive.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void detachedDriveStaysUntilTheStateIsKeptWithoutIt() throws IOException {
        var paths = StoreFixture.drives(folder, 2);
        var keptOn = new AtomicBoolean(true);
        try (var store = StoreFixture.open(paths)) {
            var id =
                    store.mountpaths().detach(paths.getLast().toString(), false).id();
            store.keepWhile(drive -> drive.equals(id) && keptOn.get());
            var table = store.table();
            assertThat(store.settlement()
                            .settle(table.version(), table.members().keySet()))
                    .hasValueSatisfying(why -> assertThat(why).contains("still keeps", id));
            assertThat(store.stats()).hasSize(2);
            keptOn.set(false);
            eventually(
                    () -> {
                        var _ = store.settlement()
                                .settle(table.version(), table.members().keySet());
                        return store.stats().size() == 1;
                    },
                    () -> "it has left");
        }
    }

    @Test
    void controllerStartsWithoutADetachedDriveAndKeepsTheStateOnAnAttachedOne() throws IOException {
        var paths = StoreFixture.drives(folder, 2);
        var more = folder.resolve("more");
        try (var store = StoreFixture.open(paths)) {
            try (var _ = store.resilver(AT_ONCE, StoreFixture.known(StoreFixture.BUCKET));
                    var controller = controller(store)) {
                store.keepWhile(controller::isKeptOn);
                controller.start();
                var before = ids(store);
                eventually(() -> before.stream().allMatch(controller::isKeptOn), () -> "it is on both");
                store.mountpaths().attach(more.toString());
                var id = store.mountpaths()
                        .detach(paths.getLast().toString(), false)
                        .id();
                eventually(
                        () -> store.stats().stream()
                                .noneMatch(drive -> drive.id().equals(id)),
                        () -> "it has left");
                assertThat(controller.isKeptOn(id)).isFalse();
            }
        }
        Files.move(paths.getLast(), folder.resolve("elsewhere"));
        try (var store = StoreFixture.open(paths);
                var controller = controller(store)) {
            assertThat(ids(store)).hasSize(2).anyMatch(controller::isKeptOn);
            controller.start();
            eventually(() -> ids(store).stream().allMatch(controller::isKeptOn), () -> "it is on both");
        }
    }

    @Test
    void driveWhoseFolderWasReplacedIsNotThatDrive() throws Exception {
        try (var store = StoreFixture.open(StoreFixture.drives(folder, 2))) {
            var id = ids(store).getFirst();
            var drive = drive(store, id);
            assertThat(drive.keeps()).isTrue();
            onDriveThread(() -> drive.presence().require());
            Files.delete(drive.path().resolve(".sluice/drive.json"));
            assertThatThrownBy(() -> onDriveThread(() -> drive.presence().require()))
                    .hasMessageContaining("no drive is at " + drive.path());
            store.mountpaths().disable(id);
            assertThat(drive(store, id).keeps()).as("it may be unmounted").isFalse();
        }
    }

    private static void onDriveThread(Runnable work) throws Exception {
        try (var thread = new DriveThreads("test", 1, 1)) {
            Await.io(thread.startStep(work::run));
        }
    }
}
