package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.replica.membership.FollowedStates;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.drive.Faults;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.MemoryIndex;
import dev.sluice.targetnode.storage.drive.Suspicion;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.space.Watermarks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/// The loops of some real drives, which say what was handed to them. What cores want is not done.
public final class RecordedLoops implements AutoCloseable {
    private record Handed(String drive, int slot) {}

    private final List<Handed> handed = new CopyOnWriteArrayList<>();
    private final Map<String, Drive> drives = new HashMap<>();
    private final Map<String, DriveReplicas> loops = new HashMap<>();
    private final Map<String, Faults> faults = new HashMap<>();

    public RecordedLoops(Path folder, int incarnation, String... ids) throws Exception {
        for (var id : ids) {
            var drive = open(folder.resolve(id), id);
            drives.put(id, drive);
            var loop = new DriveReplicas(
                    drive,
                    incarnation,
                    new Lease(() -> 0),
                    new SlotPages(drive, new OneGroup(FollowedStates.GROUP)),
                    () -> 1,
                    (replica, _) -> handed.add(new Handed(id, replica.slot())),
                    _ -> {});
            loops.put(id, loop);
            loop.start();
        }
    }

    private Drive open(Path folder, String id) throws Exception {
        for (var each : List.of(
                Layout.OBJECTS, Layout.WORK, Layout.AUX, Layout.ESCAPED, Layout.TRASH, Layout.SYSTEM + "/buckets")) {
            Files.createDirectories(folder.resolve(each));
        }
        try (var opener = new DriveThreads("open", 1, 1)) {
            var drive = Await.io(opener.start(() -> opened(folder, id)));
            Await.whole(drive.start(() -> {}));
            return drive;
        }
    }

    private Drive opened(Path folder, String id) throws IOException {
        var broken = new Faults();
        faults.put(id, broken);
        return new Drive(
                id,
                new GuardedFiles(new LocalDriveFiles(folder), folder),
                new MemoryIndex(broken),
                new DriveSettings(1, 64, 1 << 20, 0, Watermarks.DEFAULT, Duration.ofMillis(5), () -> 1),
                new Suspicion(id, (_, _) -> {}));
    }

    public Map<String, DriveReplicas> byDrive() {
        return loops;
    }

    /// The next change of the drive's index fails.
    public void breakWrites(String drive) {
        Objects.requireNonNull(faults.get(drive)).arm(Faults.Kind.IO_ERROR, 0);
    }

    public DriveReplicas loop(String drive) {
        return Objects.requireNonNull(loops.get(drive));
    }

    /// Until what was posted is done.
    public void awaitAll() {
        for (var loop : loops.values()) {
            var done = new CompletableFuture<Void>();
            loop.run(() -> done.complete(null));
            done.join();
        }
    }

    public void forget() {
        handed.clear();
    }

    /// The slots of which a row was handed to a drive, in order.
    public List<Integer> handed(String drive) {
        return handed.stream()
                .filter(each -> each.drive.equals(drive))
                .map(Handed::slot)
                .toList();
    }

    /// The drive has a lease once it has applied this version.
    public void promise(String drive, long version) {
        loop(drive).lease().promised(0, version);
    }

    public boolean leased(String drive) {
        return loop(drive).leased();
    }

    @Override
    public void close() {
        loops.values().forEach(DriveReplicas::close);
        drives.values().forEach(Drive::close);
    }
}
