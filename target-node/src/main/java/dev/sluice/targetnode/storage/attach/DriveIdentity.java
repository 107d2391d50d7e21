package dev.sluice.targetnode.storage.attach;

/// Who a drive is and whose it is: `.sluice/drive.json`.
///
/// @param weight its share of the target's objects, fixed when it was attached
/// @param formed false until the drive table names it
record DriveIdentity(String cluster, String node, String id, long weight, boolean formed) {
    static DriveIdentity unformed(String cluster, String node, String id, long weight) {
        return new DriveIdentity(cluster, node, id, weight, false);
    }

    /// As it is to be once the drive table names it.
    DriveIdentity asFormed() {
        return new DriveIdentity(cluster, node, id, weight, true);
    }
}
