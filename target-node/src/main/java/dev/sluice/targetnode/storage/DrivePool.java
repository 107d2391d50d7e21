package dev.sluice.targetnode.storage;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.attach.DriveSet;
import dev.sluice.targetnode.storage.attach.DriveTables;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.DriveWatch;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A target's drives, each under its watch, and the drive table, which says what they are for. Drives come and go one
/// after the other, on a thread of their own.
final class DrivePool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DrivePool.class);
    private static final Duration SETTLE_AFTER = Duration.ofMillis(500);
    private static final int WAITING = 64;

    /// A member of the table, or a drive that is about to be one.
    private record Watched(AttachedDrive attached, DriveWatch watch) {
        String id() {
            return attached.id();
        }
    }

    private final StoreConfig config;
    private final Seams seams;
    private final HealthSettings health;
    private final Versions versions;
    private final Consumer<Drive> whenGone;
    private final DriveSet set;
    private final boolean startedSettled;
    private final DriveTables tables;
    private final TableRecording recording = new TableRecording();
    private final Attendance attendance;
    private final DriveThreads comings = new DriveThreads("mountpaths", 1, WAITING);
    private final List<Watched> drives = new CopyOnWriteArrayList<>();
    private final Set<String> arriving = ConcurrentHashMap.newKeySet();
    private final Set<String> going = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> reserved = new HashMap<>();
    private volatile Runnable whenKnown = () -> {};
    private volatile Starting whenStarting = _ -> {};
    private final List<Consumer<List<DriveSlot>>> followers = new ArrayList<>();
    private volatile List<DriveSlot> slots = List.of();
    private long reservedUpTo;

    private DrivePool(
            StoreConfig config,
            Seams seams,
            HealthSettings health,
            Versions versions,
            Consumer<Drive> whenGone,
            DriveSet.Started started) {
        this.config = config;
        this.seams = seams;
        this.health = health;
        this.versions = versions;
        this.whenGone = whenGone;
        this.set = started.set();
        this.startedSettled = started.settled();
        this.tables = new DriveTables(
                started.table(),
                (next, asked) -> recording.record(
                        next,
                        asked,
                        drives.stream()
                                .map(drive -> new TableRecording.Place(drive.attached, drive.watch.slot()))
                                .toList()));
        this.attendance = new Attendance(tables, this::slots);
        tables.listen(this::heed);
    }

    /// @param whenGone run when a drive is about to be closed
    static DrivePool open(
            StoreConfig config, Seams seams, HealthSettings health, Versions versions, Consumer<Drive> whenGone)
            throws IOException {
        try (var opener = new DriveThreads("attach", 1, 1)) {
            return Await.io(opener.start(() -> attach(config, seams, health, versions, whenGone)));
        }
    }

    private static DrivePool attach(
            StoreConfig config, Seams seams, HealthSettings health, Versions versions, Consumer<Drive> whenGone)
            throws IOException {
        var started = DriveSet.attach(config.cluster(), config.node(), config.drives(), config.lost());
        var pool = new DrivePool(config, seams, health, versions, whenGone, started);
        boolean complete = false;
        try {
            started.table().members().forEach((id, member) -> {
                var missing = Optional.ofNullable(started.missing().get(id));
                var watched = member.disabled()
                        ? pool.add(id, Path.of(member.path()), DriveState.DISABLED, "disabled by an operator")
                        : pool.add(
                                id,
                                Path.of(member.path()),
                                missing.isPresent() ? DriveState.OFFLINE : DriveState.STARTING,
                                missing.orElse(""));
                if (!member.disabled() && missing.isEmpty()) {
                    watched.watch.openFirst();
                }
            });
            complete = true;
            return pool;
        } finally {
            if (!complete) {
                pool.close();
            }
        }
    }

    private synchronized void tellSlots() {
        slots = watches().stream().map(DriveWatch::slot).toList();
        followers.forEach(follower -> follower.accept(slots));
    }

    /// Followers are told of the drives of an open store, not of each that goes when it closes.
    private synchronized void stopTelling() {
        followers.clear();
    }

    /// @param follower told of the slots now, and whenever there are others; before a drive that leaves is closed
    synchronized void follow(Consumer<List<DriveSlot>> follower) {
        followers.add(follower);
        follower.accept(slots);
    }

    private Watched add(String id, Path path, DriveState state, String reason) {
        var settings = new DriveSettings(
                config.threadsPerDrive(),
                config.queuePerDrive(),
                config.queuedBytesPerDrive(),
                config.reserveBytes(),
                config.watermarks(),
                SETTLE_AFTER,
                config.minutes());
        var attached = new AttachedDrive(id, path, this, seams, config.indexMemory(), settings);
        var watched =
                new Watched(attached, new DriveWatch(attached, health, this::becameKnown, whenGone, state, reason));
        drives.add(watched);
        tellSlots();
        return watched;
    }

    /// Waits for the drives that only have to finish what a crash left; the others become ready by themselves. One that
    /// fails is out, and says why.
    void start() {
        var started = new ArrayList<CompletableFuture<Void>>();
        for (var watch : watches()) {
            watch.slot().open().ifPresent(drive -> {
                boolean isShort = drive.startsAtOnce();
                var start = watch.startFirst();
                if (isShort) {
                    started.add(start);
                }
            });
        }
        started.forEach(start -> start.handle((_, _) -> true).join());
        attendance.begin();
    }

    // ---- the table

    DriveTables tables() {
        return tables;
    }

    DriveTable table() {
        return tables.current();
    }

    /// @param listener told of each later table; must not block
    void listen(Consumer<DriveTable> listener) {
        tables.listen(listener);
    }

    /// Durable before it counts. Blocks: for virtual threads.
    DriveTable change(UnaryOperator<DriveTable> step) {
        return tables.change(step);
    }

    /// A drive has changed its state.
    void changed() {
        attendance.look();
    }

    private void heed(DriveTable table) {
        for (var drive : drives) {
            var member = Optional.ofNullable(table.members().get(drive.id()));
            member.filter(each -> each.isPlaced()).ifPresent(each -> drive.attached.movedTo(Path.of(each.path())));
            if (member.isEmpty() && !arriving.contains(drive.id()) && going.add(drive.id())) {
                var _ = comings.startStep(() -> letGo(drive));
            }
        }
        attendance.look();
    }

    // ---- drives that come and go

    /// Takes a drive that is nobody's into the target. Blocks.
    ///
    /// @param step makes it a member
    void attach(Path path, BiFunction<DriveTable, DriveSet.NewDrive, DriveTable> step) {
        Await.whole(comings.startStep(() -> attachNow(path, step)));
    }

    private void attachNow(Path path, BiFunction<DriveTable, DriveSet.NewDrive, DriveTable> step) throws IOException {
        var fresh = set.takeNew(path);
        arriving.add(fresh.id());
        var watched = add(fresh.id(), fresh.path(), DriveState.STARTING, "");
        boolean attached = false;
        try {
            watched.watch.openFirst();
            if (watched.watch.slot().open().isPresent()) {
                watched.watch.startFirst().handle((_, _) -> true).join();
            }
            var status = watched.watch.slot().status();
            if (!status.state().writes()) {
                throw new DriveRefusedException("drive " + path + " cannot be used: " + status.reason());
            }
            tables.change(table -> step.apply(table, fresh));
            attached = true;
            set.form(path);
            LOG.warn("{} is a new drive of {}: {}", path, config.node(), fresh.id());
        } finally {
            if (!attached) {
                set.unname(fresh);
                close(watched);
            }
            arriving.remove(fresh.id());
        }
    }

    /// A blank drive is where another was. Never blocks.
    void takeReplacement(String owner, Path path) {
        if (going.add(owner)) {
            var _ = comings.startStep(() -> replace(owner, path));
        }
    }

    private void replace(String owner, Path path) {
        try {
            var member = table().members().get(owner);
            if (member != null && DriveSet.isReplaced(path, member)) {
                LOG.error("a blank drive is at {}, where {} was", path, owner);
                attachNow(path, (table, fresh) -> table.displaced(owner).attaching(fresh.id(), fresh.member()));
            }
        } catch (IOException | RuntimeException failure) {
            LOG.error("the blank drive at {} cannot be used yet: {}", path, failure.toString());
        } finally {
            going.remove(owner);
        }
    }

    /// The table does not name it any more.
    private void letGo(Watched drive) {
        LOG.warn("drive {} at {} is detached", drive.id(), drive.attached.path());
        close(drive);
        going.remove(drive.id());
    }

    private void close(Watched drive) {
        drives.remove(drive);
        tellSlots();
        drive.watch.close();
        drive.attached.close();
    }

    // ---- versions

    /// @param step run on the thread of each drive that became known, before it serves; must not block
    void whenKnown(Runnable step) {
        whenKnown = step;
    }

    /// @param step run on a thread of each drive whose contents have become known, before it serves
    void whenStarting(Starting step) {
        whenStarting = step;
    }

    interface Starting {
        void run(Drive drive) throws IOException;
    }

    private void becameKnown() throws IOException {
        reserveSequences();
        for (var drive : known()) {
            if (!drive.ready()) {
                whenStarting.run(drive);
            }
        }
        whenKnown.run();
    }

    /// Versions must be above all that any drive has seen. Run when a drive has become known, on its thread: another
    /// drive is written to only when the versions must go on from higher up for the new one's sake.
    private synchronized void reserveSequences() throws IOException {
        long unseen = 0;
        boolean isNew = false;
        for (var drive : known()) {
            if (!reserved.containsKey(drive.id())) {
                isNew = true;
                unseen = Math.max(unseen, drive.marks().greatestSequence());
            }
        }
        if (isNew) {
            reservedUpTo = versions.startAbove(unseen);
        }
        for (var drive : known()) {
            if (!drive.ready() || reserved.getOrDefault(drive.id(), 0L) < reservedUpTo) {
                reserve(drive);
            }
        }
    }

    private void reserve(Drive drive) throws IOException {
        try {
            drive.marks().reserveSequences(reservedUpTo);
            reserved.put(drive.id(), reservedUpTo);
        } catch (IOException failure) {
            if (!drive.ready()) {
                throw failure; // it is just being started, or just goes out
            }
            drive.suspicion().addUnknownOutcome("reserving versions", failure);
        }
    }

    private List<Drive> known() {
        return slots().stream()
                .flatMap(slot -> slot.open().stream())
                .filter(Drive::known)
                .toList();
    }

    // ---- all of them

    List<DriveWatch> watches() {
        return drives.stream().map(Watched::watch).toList();
    }

    /// Of all members of the table, and of drives that are about to be. The same list until it changes.
    List<DriveSlot> slots() {
        return slots;
    }

    /// Whether no write of the life before may still reach a cloud.
    boolean startedSettled() {
        return startedSettled;
    }

    /// Where a drive of this target is.
    Path path(String id) {
        return slots().stream()
                .filter(slot -> slot.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new StoreException.Unavailable("drive " + id + " has left this target"))
                .path();
    }

    DriveSet set() {
        return set;
    }

    @Override
    public void close() {
        attendance.close();
        tables.end();
        comings.close();
        stopTelling();
        drives.forEach(this::close);
        set.close();
    }
}
