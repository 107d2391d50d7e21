package dev.sluice.targetnode.storage;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.attach.DisabledDrives;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.DriveWatch;
import java.nio.file.Path;
import java.util.List;

/// What an operator may do with the drives of a target. Blocks: for virtual threads.
public final class Mountpaths implements AutoCloseable {
    private final OpenDrives opened;
    private final DriveThreads recording = new DriveThreads("mountpaths", 1, 16);
    private DisabledDrives disabled;

    Mountpaths(OpenDrives opened) {
        this.opened = opened;
        this.disabled = opened.set().disabled();
    }

    /// Takes a drive out of use, also across restarts, until [#enable]. It is closed then and may be unmounted.
    ///
    /// @throws StoreException.InvalidArgument when no drive has this path
    public void disable(String path) {
        var watch = at(path);
        record(disabledNow -> disabledNow.with(watch.slot().id(), watch.slot().path()));
        watch.disable();
    }

    /// Takes a disabled drive into use again, or tries one that is out at once; it serves when it is found sound.
    ///
    /// @throws StoreException.InvalidArgument when no drive has this path
    public void enable(String path) {
        var watch = at(path);
        record(disabledNow -> disabledNow.without(watch.slot().id()));
        watch.enable();
    }

    private DriveWatch at(String path) {
        var wanted = Path.of(path).normalize();
        return opened.watches().stream()
                .filter(watch -> watch.slot().path().normalize().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new StoreException.InvalidArgument("no drive of this target is at " + path));
    }

    /// Durable before anything is done. A drive that is out is not asked to keep it.
    private void record(java.util.function.UnaryOperator<DisabledDrives> change) {
        Drive.awaited(recording.startStep(() -> {
            var next = change.apply(disabled);
            if (!next.paths().equals(disabled.paths())) {
                save(next);
                disabled = next;
            }
        }));
    }

    private void save(DisabledDrives next) {
        List<Path> keepers = opened.slots().stream()
                .filter(slot -> slot.status().state() != DriveState.OUT)
                .map(slot -> slot.path())
                .toList();
        try {
            next.save(keepers);
        } catch (java.io.IOException failure) {
            throw new StoreException.DriveFailed(
                    "nothing was done, for it cannot be recorded: " + failure.getMessage(), failure);
        }
    }

    @Override
    public void close() {
        recording.close();
    }
}
