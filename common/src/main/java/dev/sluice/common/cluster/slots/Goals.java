package dev.sluice.common.cluster.slots;

import dev.sluice.common.cluster.ClusterMap;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.placement.Ranking;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// Which drives placement wants for a slot: the best ranked usable ones, no two on one target, and no two in one zone
/// while another zone has room. Made once for a plan.
final class Goals {
    private static final int NO_ZONE = -1;

    private final Ranking ranking;
    private final List<String> ids;
    private final boolean[] usable;
    private final int[] target;
    private final int[] zone;
    private final boolean zoned;

    Goals(DriveTable drives, Predicate<String> isUsable, ClusterMap map) {
        ranking = drives.ranking();
        ids = List.copyOf(drives.entries().keySet());
        usable = new boolean[ids.size()];
        target = new int[ids.size()];
        zone = new int[ids.size()];
        var targets = new HashMap<NodeId, Integer>();
        var zones = new HashMap<String, Integer>();
        for (int d = 0; d < ids.size(); d++) {
            var owner = drives.find(ids.get(d)).orElseThrow().target();
            usable[d] = isUsable.test(ids.get(d));
            target[d] = numbered(targets, owner);
            var name = Optional.ofNullable(map.nodes().get(owner))
                    .map(node -> node.zone())
                    .orElse("");
            zone[d] = name.isEmpty() ? NO_ZONE : numbered(zones, name);
        }
        zoned = zones.size() > 0;
    }

    private static <T> int numbered(Map<T, Integer> numbers, T value) {
        return numbers.computeIfAbsent(value, _ -> numbers.size());
    }

    /// How many targets have a usable drive.
    int targets() {
        var seen = new boolean[ids.size()];
        int count = 0;
        for (int d = 0; d < usable.length; d++) {
            if (usable[d] && !seen[target[d]]) {
                seen[target[d]] = true;
                count++;
            }
        }
        return count;
    }

    /// @param count how many are wanted; fewer come when fewer targets have a usable drive
    /// @param avoided drives that are not to be chosen
    List<String> of(int slot, int count, Predicate<String> avoided) {
        var first = new int[ranking.kept()];
        for (int place = 0; place < first.length; place++) {
            first[place] = ranking.best(slot, place);
        }
        var goal = chosen(first, count, avoided, 1);
        if (goal.size() == count || (!zoned && first.length == ids.size())) {
            return goal;
        }
        var all = first.length == ids.size() ? first : ranking.all(slot);
        return chosen(all, count, avoided, zoned ? count : 1);
    }

    /// @param rounds how often a zone may have a drive chosen
    private List<String> chosen(int[] order, int count, Predicate<String> avoided, int rounds) {
        var goal = new ArrayList<String>(count);
        var chosen = new int[count];
        for (int round = 0; round < rounds && goal.size() < count; round++) {
            int before = goal.size();
            for (int d : order) {
                if (goal.size() < count
                        && usable[d]
                        && isFree(d, chosen, before, goal.size())
                        && !avoided.test(ids.get(d))) {
                    chosen[goal.size()] = d;
                    goal.add(ids.get(d));
                }
            }
        }
        return goal;
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
}
