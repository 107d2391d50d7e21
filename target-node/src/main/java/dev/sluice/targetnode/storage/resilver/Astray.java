package dev.sluice.targetnode.storage.resilver;

import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which of a drive's keys may not be where they belong, as the indexes have it: a cheap first look, so that most keys
/// of a pass cost no more than that. A copy on a drive it does not belong on is found by the look at that drive.
final class Astray {
    private final String drive;
    private final DriveTable table;
    private final Map<String, Drive> readable;

    Astray(String drive, DriveTable table, Map<String, Drive> readable) {
        this.drive = drive;
        this.table = table;
        this.readable = readable;
    }

    static List<String> holders(DriveTable table, ObjectKey name) {
        int slot = Slot.of(name.bucketId(), name.key());
        return table.current().holders(slot, table.copies(name.bucketId()).wanted());
    }

    Set<ObjectKey> among(List<Entry> entries) {
        var astray = new HashSet<ObjectKey>();
        var elsewhere = new HashMap<String, List<Entry>>();
        for (var entry : entries) {
            var holders = holders(table, entry.name());
            if (!holders.contains(drive)) {
                astray.add(entry.name());
            } else {
                holders.stream()
                        .filter(holder -> !holder.equals(drive))
                        .forEach(holder -> elsewhere
                                .computeIfAbsent(holder, _ -> new ArrayList<>())
                                .add(entry));
            }
        }
        elsewhere.forEach((holder, expected) -> astray.addAll(lacking(holder, expected)));
        return astray;
    }

    /// What another drive does not have in the same version, or does not say that it has.
    private List<ObjectKey> lacking(String holder, List<Entry> expected) {
        var other = readable.get(holder);
        if (other == null) {
            return expected.stream().map(Entry::name).toList();
        }
        try {
            return other.call(() -> lacking(other, expected));
        } catch (StoreException.Unavailable | StoreException.DriveFailed _) {
            return expected.stream().map(Entry::name).toList(); // to bring them will say why
        }
    }

    private static List<ObjectKey> lacking(Drive other, List<Entry> expected) throws IOException {
        var lacking = new ArrayList<ObjectKey>();
        for (var entry : expected) {
            if (!has(other, entry)) {
                lacking.add(entry.name());
            }
        }
        return lacking;
    }

    private static boolean has(Drive drive, Entry entry) throws IOException {
        try {
            var there =
                    drive.store().entry(entry.name().bucketId(), entry.name().key());
            return entry.version().isPresent()
                    && there.filter(same -> !same.damaged())
                            .map(ObjectEntry::version)
                            .equals(entry.version());
        } catch (DamagedRecordException _) {
            return false; // whoever brings it says so
        }
    }
}
