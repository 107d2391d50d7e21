package dev.sluice.common.cluster.slots;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Counts the slots of one state of the cluster, once somebody asks.
public final class SlotCensus {
    private final SortedMap<Integer, Group> groups;
    private final Function<Integer, SlotTable> tables;
    private final Map<String, Place> places;
    private volatile Optional<SortedMap<Integer, SlotCounts>> counted = Optional.empty();

    /// Where a drive is.
    ///
    /// @param target its id, or that of the drive itself when no target has it
    /// @param domain what is lost at once
    /// @param usable whether it is there, and its target up
    public record Place(String target, String domain, boolean usable) {
        /// @param zone of the target; empty for none
        public static Place of(String target, String zone, boolean usable) {
            return new Place(target, zone.isEmpty() ? "target " + target : "zone " + zone, usable);
        }
    }

    /// @param places drive → where it is
    public SlotCensus(
            SortedMap<Integer, Group> groups, Function<Integer, SlotTable> tables, Map<String, Place> places) {
        this.groups = groups;
        this.tables = tables;
        this.places = places;
    }

    /// Group → its slots.
    public SortedMap<Integer, SlotCounts> byGroup() {
        var known = counted;
        if (known.isEmpty()) {
            var counts = new TreeMap<Integer, SlotCounts>();
            groups.forEach((id, group) -> counts.put(id, new Counting(group).counts(tables.apply(id))));
            known = Optional.of(counts);
            counted = known;
        }
        return known.get();
    }

    public SlotCounts all() {
        return byGroup().values().stream().reduce(SlotCounts.NONE, SlotCounts::plus);
    }

    private final class Counting {
        private final Group group;
        private final Map<Integer, Long> surviving = new HashMap<>();
        private final Map<String, Long> waiting = new HashMap<>();
        private long full;
        private long unopened;
        private long zonal;
        private long present;
        private long missing;

        Counting(Group group) {
            this.group = group;
        }

        SlotCounts counts(SlotTable table) {
            for (int slot = 0; slot < table.size(); slot++) {
                count(table.row(slot));
            }
            return new SlotCounts(
                    table.size(),
                    full,
                    table.size() - full - unopened,
                    unopened,
                    new Protection(new TreeMap<>(surviving), zonal, present, missing),
                    new TreeMap<>(waiting));
        }

        private void count(SlotRow row) {
            int good = Math.min(left(row, ""), group.replicas());
            present += good;
            missing += group.replicas() - good;
            if (!row.opened() || !place(row.primary().drive()).usable || good < group.data()) {
                unopened++;
                missed(row).forEach(target -> waiting.merge(target, 1L, Long::sum));
                return;
            }
            full += good == group.replicas() ? 1 : 0;
            surviving.merge(good - group.data(), 1L, Long::sum);
            zonal += survivesEachDomain(row) ? 1 : 0;
        }

        /// How many replicas are usable when a domain is lost.
        private int left(SlotRow row, String lost) {
            return group.count(row.members(), member -> {
                var place = place(member.drive());
                return place.usable && !place.domain.equals(lost);
            });
        }

        private boolean survivesEachDomain(SlotRow row) {
            for (var member : row.members()) {
                if (left(row, place(member.drive()).domain) < group.data()) {
                    return false;
                }
            }
            return true;
        }
    }

    private Place place(String drive) {
        var known = places.get(drive);
        return known == null ? Place.of(drive, "", false) : known;
    }

    /// The targets that are away, of those that have what was acknowledged.
    private Set<String> missed(SlotRow row) {
        var drives = new TreeSet<>(row.fence());
        row.inSync().forEach(member -> drives.add(member.drive()));
        return drives.stream()
                .map(this::place)
                .filter(place -> !place.usable)
                .map(Place::target)
                .collect(Collectors.toSet());
    }
}
