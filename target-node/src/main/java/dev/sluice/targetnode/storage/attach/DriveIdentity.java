package dev.sluice.targetnode.storage.attach;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Who a drive is, whose it is, and which drives it stands among: `.sluice/drive.json`.
///
/// @param weight its share of the target's objects, fixed when it was attached
/// @param formed false until every drive of the set has its identity
/// @param set the ids and weights of all drives of the target
public record DriveIdentity(
        String cluster, String node, String id, long weight, boolean formed, Map<String, Long> set) {
    public DriveIdentity {
        set = Map.copyOf(new TreeMap<>(set));
    }

    DriveIdentity asFormed() {
        return new DriveIdentity(cluster, node, id, weight, true, set);
    }

    /// Another drive of the same set.
    Optional<DriveIdentity> sibling(String other) {
        return Optional.ofNullable(set.get(other)).map(its -> new DriveIdentity(cluster, node, other, its, true, set));
    }

    List<String> ids() {
        return set.keySet().stream().sorted().toList();
    }
}
