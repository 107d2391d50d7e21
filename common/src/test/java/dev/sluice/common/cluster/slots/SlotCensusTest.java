package dev.sluice.common.cluster.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.SlotCensus.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// What may be lost, and whom slots wait for.
final class SlotCensusTest {
    private static final Group CODED = new Group(1, 3, 2, Durability.FSYNC, 1);
    private static final Group TWO_COPIES = new Group(1, 2, Durability.FSYNC, 1);

    private final Map<String, Place> places = new HashMap<>();

    private void targets(String... ids) {
        for (var id : ids) {
            places.put(id, Place.of("on-" + id, "", true));
        }
    }

    private void away(String... ids) {
        for (var id : ids) {
            places.put(id, Place.of("on-" + id, "", false));
        }
    }

    private SlotCounts counts(Group group, SlotRow row) {
        var groups = new TreeMap<>(Map.of(1, group));
        return new SlotCensus(groups, _ -> SlotTable.of(new SlotRow[] {row}), places).all();
    }

    /// The position is the place in the list.
    private static SlotRow row(List<String> fence, String... inSync) {
        var members = new ArrayList<Member>();
        for (var drive : inSync) {
            members.add(new Member(drive, true, 1, 1, members.size()));
        }
        return new SlotRow(5, members, 5, 5, fence, fence.isEmpty());
    }

    @Test
    void codedSlotSurvivesWhatItsPositionsBear() {
        targets("a", "b", "c");
        var whole = counts(CODED, row(List.of(), "a", "b", "c"));
        assertThat(whole.full()).isEqualTo(1);
        assertThat(whole.protection()).isEqualTo(new Protection(new TreeMap<>(Map.of(1, 1L)), 1, 3, 0));
        away("c");
        var two = counts(CODED, row(List.of(), "a", "b", "c"));
        assertThat(two.degraded()).isEqualTo(1);
        assertThat(two.protection()).isEqualTo(new Protection(new TreeMap<>(Map.of(0, 1L)), 0, 2, 1));
        assertThat(two.waiting()).isEmpty();
    }

    @Test
    void slotWithTooFewPositionsIsNotServedAndWaitsForThoseThatAreAway() {
        targets("a");
        away("b", "c");
        var one = counts(CODED, row(List.of(), "a", "b", "c"));
        assertThat(one.unopened()).isEqualTo(1);
        assertThat(one.waiting()).isEqualTo(Map.of("on-b", 1L, "on-c", 1L));
        assertThat(one.protection().surviving()).isEmpty();
        assertThat(one.protection().missing()).isEqualTo(2);
    }

    @Test
    void twoMembersOfOnePositionCountOnce() {
        targets("a", "b", "c");
        var members =
                List.of(new Member("a", true, 1, 1, 0), new Member("b", true, 1, 1, 1), new Member("c", true, 1, 1, 1));
        var counts = counts(CODED, new SlotRow(5, members, 5, 5, List.of(), true));
        assertThat(counts.protection().surviving(0)).isEqualTo(1);
        assertThat(counts.protection().missing()).isEqualTo(1);
    }

    @Test
    void slotOfWholeReplicasWaitsForItsPrimaryAndForTheFence() {
        targets("a", "b");
        assertThat(counts(TWO_COPIES, row(List.of(), "a", "b")).protection().surviving(1))
                .isEqualTo(1);
        away("a");
        var primaryAway = counts(TWO_COPIES, row(List.of(), "a", "b"));
        assertThat(primaryAway.unopened()).isEqualTo(1);
        assertThat(primaryAway.waiting()).isEqualTo(Map.of("on-a", 1L));
        var fenced = counts(TWO_COPIES, row(List.of("a", "nobodys"), "b"));
        assertThat(fenced.waiting()).isEqualTo(Map.of("on-a", 1L, "nobodys", 1L));
    }

    @Test
    void oneZoneMayTakeMoreThanOneTarget() {
        places.put("a", Place.of("on-a", "east", true));
        places.put("b", Place.of("on-b", "east", true));
        places.put("c", Place.of("on-c", "west", true));
        var protection = counts(CODED, row(List.of(), "a", "b", "c")).protection();
        assertThat(protection.surviving(1)).isEqualTo(1);
        assertThat(protection.zonal()).isZero();
        places.put("b", Place.of("on-b", "north", true));
        assertThat(counts(CODED, row(List.of(), "a", "b", "c")).protection().zonal())
                .isEqualTo(1);
    }
}
