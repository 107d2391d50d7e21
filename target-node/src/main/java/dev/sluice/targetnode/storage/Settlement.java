package dev.sluice.targetnode.storage;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.resilver.Mover;
import dev.sluice.targetnode.storage.resilver.Settling;
import dev.sluice.targetnode.storage.spread.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Ends a change of the drives: when every key was seen to be where it belongs, the spreads of before are
/// forgotten, and the notes that were needed because of them.
final class Settlement implements Settling {
    private static final String CHANGED = "the drives, or what is on them, were changed meanwhile";

    private final Drives drives;
    private final Mountpaths mountpaths;
    private final Mover mover;
    private final StayingKeys staying;
    private volatile Predicate<String> stateIsOn = _ -> false;

    Settlement(Drives drives, Mountpaths mountpaths, Mover mover, StayingKeys staying) {
        this.drives = drives;
        this.mountpaths = mountpaths;
        this.mover = mover;
        this.staying = staying;
    }

    /// @param drives those that a restart of the controller would need
    void keepWhile(Predicate<String> drives) {
        stateIsOn = drives;
    }

    @Override
    public boolean isSettled(long tableVersion) {
        var table = drives.table();
        return table.version() != tableVersion || (table.isSettled() && !drives.mayDiffer());
    }

    @Override
    public Optional<String> settle(long tableVersion, Set<String> looked) {
        try {
            var waiting = waiting(looked);
            if (waiting.isPresent()) {
                return waiting;
            }
            bringStrays();
            return drives.alone(() -> settleAlone(tableVersion)).orElse(Optional.of("changes are under way"));
        } catch (StoreException notNow) {
            return Optional.of(String.valueOf(notNow.getMessage()));
        }
    }

    private void bringStrays() {
        drives.strays().forEach((key, stray) -> {
            mover.bring(stray.bucket(), key.key());
            drives.found(key, stray);
        });
    }

    private Optional<String> waiting(Set<String> looked) {
        var missed = drives.missed();
        if (!missed.isEmpty()) {
            return Optional.of("it waits for "
                    + String.join(" and ", missed.stream().map(this::described).toList())
                    + ": bring it back, or give it up with 'sluice mountpath detach --lost'");
        }
        for (var spread : drives.table().spreads()) {
            for (var id : spread.weights().keySet()) {
                if (drives.table().members().containsKey(id) && !looked.contains(id)) {
                    return Optional.of("drive " + id + " was not looked at yet");
                }
            }
        }
        if (drives.late() > 0) {
            return Optional.of(drives.late() + " objects are still being written to where they belonged before");
        }
        for (var drive : drives.table().isSettled() ? List.<Drive>of() : drives.reading()) {
            if (!drive.call(() -> !drive.store().hasKeyless())) {
                return Optional.of("drive " + drive.id() + " has files in " + Layout.ESCAPED
                        + " whose keys are not known, and which cannot be moved");
            }
        }
        for (var drive : leaving()) {
            var unfinished = unfinished(drive);
            if (unfinished.isPresent()) {
                return unfinished;
            }
            var kept = staying.whyItStays(drive);
            if (kept.isPresent()) {
                return kept;
            }
            if (stateIsOn.test(drive.id())) {
                return Optional.of("the controller still keeps the cluster's state on drive " + drive.id()
                        + ", and none on another drive that can be written");
            }
        }
        return Optional.empty();
    }

    private static Optional<String> unfinished(Drive drive) {
        return drive.call(() -> drive.uploads().isEmpty())
                ? Optional.empty()
                : Optional.of("drive " + drive.id()
                        + " has unfinished multipart uploads, which must be completed or aborted before it leaves");
    }

    private String described(String id) {
        var member = drives.table().members().get(id);
        var status = drives.slots().stream()
                .filter(slot -> slot.id().equals(id))
                .map(DriveSlot::status)
                .findFirst();
        return "drive " + id + (member == null || member.path().isEmpty() ? "" : " at " + member.path())
                + status.map(each -> ", which is " + each.state()).orElse("");
    }

    private List<Drive> leaving() {
        var leaving = new ArrayList<Drive>();
        var members = drives.table().members();
        for (var drive : drives.reading()) {
            if (Optional.ofNullable(members.get(drive.id()))
                    .map(Member::leaving)
                    .orElse(false)) {
                leaving.add(drive);
            }
        }
        return leaving;
    }

    /// The table may change at any time, so whether it is still the one that was looked at is asked in the change.
    private Optional<String> settleAlone(long tableVersion) {
        if (drives.table().version() != tableVersion || !drives.strays().isEmpty()) {
            return Optional.of(CHANGED);
        }
        for (var drive : leaving()) {
            var begunSince = unfinished(drive);
            if (begunSince.isPresent()) {
                return begunSince;
            }
        }
        if (!drives.table().isSettled()) {
            var now = mountpaths.change(table -> table.version() == tableVersion ? table.settled() : table);
            if (!now.isSettled()) {
                return Optional.of(CHANGED);
            }
            drives.serving()
                    .forEach(drive -> drive.call(() -> {
                        drive.marks().deleteNotes();
                        return drive;
                    }));
        }
        for (var drive : drives.reading()) {
            if (drive.call(drive::needsNotes)) {
                return Optional.of("drive " + drive.id() + " has notes of changes that were not looked at yet");
            }
        }
        drives.mended();
        return Optional.empty();
    }
}
