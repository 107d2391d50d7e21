package dev.sluice.targetnode.storage.attach;

import java.util.Map;
import java.util.TreeMap;

/// Who a drive is and whose it is: `.sluice/drive.json`.
///
/// @param weight its share of the target's objects, fixed when it was attached
/// @param formed false until the drive table names it
/// @param formerSet the ids and weights of all drives of the target, as format 1 had them; empty since there is the
///     drive table
record DriveIdentity(String cluster, String node, String id, long weight, boolean formed, Map<String, Long> formerSet) {
    DriveIdentity {
        formerSet = Map.copyOf(new TreeMap<>(formerSet));
    }

    static DriveIdentity unformed(String cluster, String node, String id, long weight) {
        return new DriveIdentity(cluster, node, id, weight, false, Map.of());
    }

    /// As it is to be once the drive table names it.
    DriveIdentity asFormed() {
        return new DriveIdentity(cluster, node, id, weight, true, Map.of());
    }
}
