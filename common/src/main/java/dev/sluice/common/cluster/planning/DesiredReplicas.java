package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.ClusterMap;
import dev.sluice.common.cluster.slots.DriveTable;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.placement.Ranking;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// Which drives placement wants for a slot: the best ranked usable ones, no two on one target, and no two in one zone
/// while another zone has room. Made once for a plan. For one thread.
public final class DesiredReplicas {
    private static final int NO_ZONE = -1;
    private static final int[] KEPT = {};

    private final Ranking ranking;
    private final String[] ids;
    private final boolean[] usable;
    private final int[] target;
    private final int[] zone;
    private final boolean zoned;
    private Goal[] known = new Goal[256];
    private int goals;

    DesiredReplicas(DriveTable drives, Predicate<String> isUsable, ClusterMap map) {
        ranking = drives.ranking();
        ids = drives.entries().keySet().toArray(String[]::new);
        usable = new boolean[ids.length];
        target = new int[ids.length];
        zone = new int[ids.length];
        var targets = new HashMap<NodeId, Integer>();
        var zones = new HashMap<String, Integer>();
        for (int d = 0; d < ids.length; d++) {
            var owner = drives.find(ids[d]).orElseThrow().target();
            usable[d] = isUsable.test(ids[d]);
            target[d] = numbered(targets, owner);
            var name = Optional.ofNullable(map.nodes().get(owner))
                    .map(node -> node.zone())
                    .orElse("");
            zone[d] = name.isEmpty() ? NO_ZONE : numbered(zones, name);
        }
        zoned = zones.size() > 0;
    }

    /// @param usable the drives that may be chosen
    public static DesiredReplicas of(Replication replication, ClusterMap map, Predicate<String> usable) {
        return new DesiredReplicas(replication.drives(), usable, map);
    }

    private static <T> int numbered(Map<T, Integer> numbers, T value) {
        return numbers.computeIfAbsent(value, _ -> numbers.size());
    }

    /// How many targets have a usable drive.
    int targets() {
        var seen = new boolean[ids.length];
        int count = 0;
        for (int d = 0; d < usable.length; d++) {
            if (usable[d] && !seen[target[d]]) {
                seen[target[d]] = true;
                count++;
            }
        }
        return count;
    }

    /// The same object each time the same drives are chosen.
    ///
    /// @param hash the first of a slot's
    /// @param count how many are wanted; fewer come when fewer targets have a usable drive
    /// @param avoided drives that are not to be chosen
    public List<String> of(int hash, int count, Predicate<String> avoided) {
        var chosen = new int[count];
        boolean keptAll = ranking.kept() == ids.length;
        int size = choose(chosen, hash, KEPT, avoided, 1);
        if (size < count && (zoned || !keptAll)) {
            size = choose(chosen, hash, keptAll ? KEPT : ranking.all(hash), avoided, zoned ? count : 1);
        }
        return drives(chosen, size);
    }

    /// @param all the order of all drives, or [#KEPT] for the best ones
    /// @param rounds how often a zone may have a drive chosen
    /// @return how many are chosen
    private int choose(int[] chosen, int hash, int[] all, Predicate<String> avoided, int rounds) {
        int places = all.length == 0 ? ranking.kept() : all.length;
        int size = 0;
        for (int round = 0; round < rounds && size < chosen.length; round++) {
            int before = size;
            for (int place = 0; place < places && size < chosen.length; place++) {
                int drive = all.length == 0 ? ranking.best(hash, place) : all[place];
                if (usable[drive] && isFree(drive, chosen, before, size) && !avoided.test(ids[drive])) {
                    chosen[size++] = drive;
                }
            }
        }
        return size;
    }

    /// No drive of its target is chosen, and none of its zone in this round.
    private boolean isFree(int drive, int[] chosen, int thisRound, int size) {
        for (int i = 0; i < size; i++) {
            if (target[chosen[i]] == target[drive]
                    || (i >= thisRound && zone[drive] != NO_ZONE && zone[chosen[i]] == zone[drive])) {
                return false;
            }
        }
        return true;
    }

    private List<String> drives(int[] chosen, int size) {
        int hash = size;
        for (int i = 0; i < size; i++) {
            hash = (hash + chosen[i]) * 0x9E3779B9;
            hash ^= hash >>> 15;
        }
        int at = hash & (known.length - 1);
        while (known[at] != null) {
            if (known[at].is(chosen, size)) {
                return known[at].ids;
            }
            at = (at + 1) & (known.length - 1);
        }
        var wanted = new String[size];
        for (int i = 0; i < size; i++) {
            wanted[i] = ids[chosen[i]];
        }
        var goal = new Goal(Arrays.copyOf(chosen, size), List.of(wanted), hash);
        known[at] = goal;
        if (++goals > known.length / 2) {
            grow();
        }
        return goal.ids;
    }

    private void grow() {
        var larger = new Goal[known.length * 2];
        for (var goal : known) {
            if (goal != null) {
                int at = goal.hash & (larger.length - 1);
                while (larger[at] != null) {
                    at = (at + 1) & (larger.length - 1);
                }
                larger[at] = goal;
            }
        }
        known = larger;
    }

    private static final class Goal {
        private final int[] drives;
        private final List<String> ids;
        private final int hash;

        Goal(int[] drives, List<String> ids, int hash) {
            this.drives = drives;
            this.ids = ids;
            this.hash = hash;
        }

        boolean is(int[] chosen, int size) {
            return Arrays.equals(drives, 0, drives.length, chosen, 0, size);
        }
    }
}
