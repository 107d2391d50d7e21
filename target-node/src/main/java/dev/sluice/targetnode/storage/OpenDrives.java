package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.attach.DriveSet;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.DriveWatch;
import dev.sluice.targetnode.storage.health.HealthSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// A target's attached drives, each under its watch.
final class OpenDrives implements AutoCloseable {
    private static final Duration SETTLE_AFTER = Duration.ofMillis(500);

    private final DriveSet set;
    private final Versions versions;
    private final List<DriveWatch> watches = new ArrayList<>();
    private final Map<String, Long> reserved = new HashMap<>();
    private volatile Runnable whenKnown = () -> {};
    private long reservedUpTo;

    private OpenDrives(DriveSet set, Versions versions) {
        this.set = set;
        this.versions = versions;
    }

    /// @param whenGone run when a drive is about to be closed
    static OpenDrives open(
            StoreConfig config, Seams seams, HealthSettings health, Versions versions, Consumer<Drive> whenGone)
            throws IOException {
        try (var opener = new DriveThreads("attach", 1, 1)) {
            return DriveThreads.await(opener.start(() -> attach(config, seams, health, versions, whenGone)));
        } catch (IOException | RuntimeException failure) {
            throw failure;
        } catch (Exception unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static OpenDrives attach(
            StoreConfig config, Seams seams, HealthSettings health, Versions versions, Consumer<Drive> whenGone)
            throws IOException {
        var set = DriveSet.attach(config.cluster(), config.node(), config.drives());
        var opened = new OpenDrives(set, versions);
        boolean complete = false;
        try {
            var settings = new DriveSettings(
                    config.threadsPerDrive(),
                    config.queuePerDrive(),
                    config.reserveBytes(),
                    config.watermarks(),
                    SETTLE_AFTER,
                    config.minutes());
            for (var member : set.members()) {
                var attached = new AttachedDrive(set, member, seams, config.indexMemory(), settings);
                var watch = new DriveWatch(attached, health, opened::becameKnown, whenGone, member.disabled());
                opened.watches.add(watch);
                if (!member.disabled()) {
                    watch.openFirst();
                }
            }
            complete = true;
            return opened;
        } finally {
            if (!complete) {
                opened.close();
            }
        }
    }

    /// Waits for the drives that only have to finish what a crash left; the others become ready by themselves.
    void start() {
        var started = new ArrayList<CompletableFuture<Void>>();
        for (var watch : watches) {
            watch.slot().open().ifPresent(drive -> {
                boolean isShort = drive.startsAtOnce();
                var start = watch.startFirst();
                if (isShort) {
                    started.add(start);
                }
            });
        }
        started.forEach(Drive::awaited);
    }

    /// @param step run on the thread of each drive that became known, before it serves; must not block
    void whenKnown(Runnable step) {
        whenKnown = step;
    }

    private void becameKnown() throws IOException {
        reserveSequences();
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
                unseen = Math.max(unseen, drive.contents().greatestSequence());
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
            drive.contents().reserveSequences(reservedUpTo);
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

    List<DriveWatch> watches() {
        return watches;
    }

    List<DriveSlot> slots() {
        return watches.stream().map(DriveWatch::slot).toList();
    }

    DriveSet set() {
        return set;
    }

    Map<String, Long> weights() {
        return set.members().getFirst().identity().set();
    }

    @Override
    public void close() {
        watches.forEach(DriveWatch::close);
        set.close();
    }
}
