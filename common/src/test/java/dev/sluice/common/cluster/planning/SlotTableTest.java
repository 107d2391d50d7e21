package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotRows;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whole tables: where their slots lie, what they cost, and their form in bytes.
class SlotTableTest {
    private static final int TARGETS = 6;
    private static final int DRIVES_EACH = 4;

    // They never change, and take a second to make.
    private static final ClusterState FORMED = formed("");
    private static final ClusterState STATE = Planner.next(FORMED, create(3));
    private static final SlotTable TABLE = STATE.replication().table(1).orElseThrow();

    private final ClusterState formed = FORMED;
    private final ClusterState state = STATE;
    private final SlotTable table = TABLE;

    private static ClusterState formed(String zone) {
        var ids = IntStream.range(0, TARGETS)
                .mapToObj(i -> new NodeId("target%03d".formatted(i)))
                .toList();
        var state = ClusterState.create("c", new TreeSet<>(ids), new TreeMap<>());
        for (int t = 0; t < TARGETS; t++) {
            var id = ids.get(t);
            state = Planner.next(
                    state,
                    new Command.Join(new Node(id, Role.TARGET, "http://" + id, zone.isEmpty() ? "" : zone + t % 2, 4)));
            state = Planner.next(state, register(id, 0));
        }
        return state;
    }

    private static Command.Register register(NodeId id, int incarnation) {
        return new Command.Register(
                id,
                "nonce" + incarnation,
                incarnation,
                "boot",
                IntStream.range(0, DRIVES_EACH)
                        .mapToObj(d -> new Command.RegisteredDrive(id + "-" + d, 1, true))
                        .toList());
    }

    private static Command create(int replicas) {
        return new Command.CreateBucket(
                "b" + replicas,
                1,
                new BucketProperties(
                        Optional.empty(), Durability.FSYNC, Optional.empty(), 1, replicas, Optional.empty()));
    }

    private static NodeId target(ClusterState state, String drive) {
        return state.replication().drives().find(drive).orElseThrow().target();
    }

    @Test
    void newGroupBeginsWithItsGoalInSyncAndOpened() {
        for (int slot = 0; slot < table.size(); slot++) {
            var row = table.row(slot);
            assertThat(row.inSync()).hasSize(3).isEqualTo(row.members());
            assertThat(row.members().stream().map(member -> target(state, member.drive())))
                    .doesNotHaveDuplicates();
            assertThat(List.of(row.epoch(), row.primarySince())).containsOnly(1L);
            assertThat(row.fence()).isEmpty();
            assertThat(row.opened()).isTrue();
        }
    }

    @Test
    void slotsAndPrimariesAreSharedOutEvenly() {
        var members = new HashMap<NodeId, Integer>();
        var primaries = new HashMap<NodeId, Integer>();
        for (int slot = 0; slot < table.size(); slot++) {
            var row = table.row(slot);
            row.members().forEach(member -> members.merge(target(state, member.drive()), 1, Integer::sum));
            primaries.merge(target(state, row.primary().drive()), 1, Integer::sum);
        }
        assertThat(members.values())
                .hasSize(TARGETS)
                .allSatisfy(
                        count -> assertThat(count * TARGETS / 3.0).isBetween(0.95 * table.size(), 1.05 * table.size()));
        assertThat(primaries.values())
                .hasSize(TARGETS)
                .allSatisfy(count ->
                        assertThat((double) count * TARGETS).isBetween(0.95 * table.size(), 1.05 * table.size()));
    }

    @Test
    void targetThatIsGoneMovesOnlyItsSlots() {
        var gone = new NodeId("target002");
        var entry = state.replication().target(gone).orElseThrow();
        var down = Planner.next(state, new Command.Down(gone, entry.version(), new TreeMap<>()));
        assertThat(down.replication().table(1).orElseThrow()).isEqualTo(table);
        var after = Planner.next(down, new Command.Expel(asking(down, gone)));
        int moved = 0;
        for (int slot = 0; slot < table.size(); slot++) {
            var row = after.replication().table(1).orElseThrow().row(slot);
            var had = table.row(slot).members().stream()
                    .anyMatch(member -> target(state, member.drive()).equals(gone));
            if (had) {
                moved++;
                assertThat(row.members()).hasSize(3);
                assertThat(row.members().getLast().inSync()).isFalse();
            } else {
                assertThat(row).isSameAs(table.row(slot));
            }
        }
        assertThat(moved * TARGETS / 3.0).isBetween(0.95 * table.size(), 1.05 * table.size());
    }

    @Test
    void noTwoReplicasShareAZoneWhileAnotherHasRoom() {
        var zoned = Planner.next(formed("zone"), create(2), create(3));
        for (int slot = 0; slot < table.size(); slot++) {
            for (int group = 1; group <= 2; group++) {
                var row = zoned.replication().table(group).orElseThrow().row(slot);
                assertThat(row.members()).hasSize(group + 1);
                assertThat(row.members().stream()
                                .limit(2)
                                .map(member -> Optional.ofNullable(
                                                zoned.map().nodes().get(target(zoned, member.drive())))
                                        .orElseThrow()
                                        .zone()))
                        .doesNotHaveDuplicates();
            }
        }
    }

    /// Far less than the millions of small lists that rows on their own would be.
    @Test
    void equalRowsAreOneObject() throws IOException {
        var read = StateCodec.decodeState(StateCodec.encode(state))
                .replication()
                .table(1)
                .orElseThrow();
        for (var rows : List.of(table, read)) {
            var objects = Collections.newSetFromMap(new IdentityHashMap<>());
            var equal = new TreeSet<String>();
            for (int slot = 0; slot < table.size(); slot++) {
                objects.add(rows.row(slot));
                equal.add(rows.row(slot).toString());
            }
            assertThat(objects).hasSameSizeAs(equal);
        }
    }

    @Test
    void stateIsReadAsItWasWrittenAndATableIsSmall() throws IOException {
        var bytes = StateCodec.encode(state);
        assertThat(bytes.length).isLessThan(300_000);
        assertThat(StateCodec.decodeState(bytes)).isEqualTo(state);
        assertThat(StateCodec.decodeState(StateCodec.encode(formed))).isEqualTo(formed);
    }

    private Change down(NodeId target) {
        var entry = state.replication().target(target).orElseThrow();
        return Planner.plan(
                        state, new Command.Down(target, entry.version(), new TreeMap<>()), PlanningFacts.KNOWS_NOTHING)
                .orElseThrow();
    }

    @Test
    void changeIsReadAsItWasWrittenUnlessTheReaderHasIt() throws IOException {
        var change = down(new NodeId("target002"));
        var bytes = StateCodec.encode(change);
        assertThat(StateCodec.decodeChange(bytes)).isEqualTo(change);
        assertThat(StateCodec.decodeChange(bytes, change.ifVersion())).contains(change);
        var broken = Arrays.copyOf(bytes, bytes.length - 1);
        assertThat(StateCodec.decodeChange(broken, change.ifVersion() + 1))
                .as("not looked at")
                .isEmpty();
        assertThatThrownBy(() -> StateCodec.decodeChange(broken, change.ifVersion()))
                .isInstanceOf(IOException.class);
    }

    /// It takes longer to make than all else that a change is about.
    @Test
    void rankingIsNotMadeAgainForAChangeOfOtherThings() throws IOException {
        state.replication().drives().prepare();
        var ranking = state.replication().drives().ranking();
        var change = StateCodec.decodeChange(StateCodec.encode(down(new NodeId("target002"))));
        var next = state.apply(change).orElseThrow().replication().drives();
        assertThat(next.ranking()).isSameAs(ranking);
        var snapshot = StateCodec.decodeState(StateCodec.encode(state)).sharing(state);
        assertThat(snapshot.replication().drives().ranking()).isSameAs(ranking);
        var more = new TreeMap<>(next.entries());
        more.put("new", new DriveEntry(new NodeId("target002"), 1, false, 2, "nonce"));
        assertThat(next.with(more).ranking()).isNotSameAs(ranking);
    }

    /// A plan applies a rule once for all slots in the same case.
    @Test
    void everyRowIsPlannedAsItWouldBeAlone() {
        var gone = new NodeId("target002");
        var after = state.apply(down(gone)).orElseThrow();
        var rules = new RowTransitions(new NextState(after.replication(), after.map()), PlanningFacts.KNOWS_NOTHING);
        var group = state.replication().group(1).orElseThrow();
        var asking = new ArrayList<Command.SlotDrive>();
        for (int slot = 0; slot < table.size(); slot++) {
            var row = after.replication().table(1).orElseThrow().row(slot);
            assertThat(row)
                    .isEqualTo(rules.fill(
                            group,
                            table.row(slot),
                            rules.wanted(group, slot, table.row(slot).members())));
            var member = row.inSync().stream()
                    .filter(one -> rules.usable(one.drive()))
                    .findFirst()
                    .orElseThrow();
            asking.add(new Command.SlotDrive(1, slot, row.epoch(), member.drive(), member.incarnation()));
        }
        asking.sort(Comparator.comparing(Command.SlotDrive::drive));
        var last = Planner.next(after, new Command.Expel(asking))
                .replication()
                .table(1)
                .orElseThrow();
        for (var one : asking) {
            var row = after.replication().table(1).orElseThrow().row(one.slot());
            assertThat(last.row(one.slot()))
                    .isEqualTo(rules.expel(
                            group, row, rules.wanted(group, one.slot(), row.members()), one.drive(), Map.of()));
        }
    }

    @Test
    void stateThatBrokeOffIsNotRead() {
        var bytes = StateCodec.encode(state);
        for (int length : new int[] {0, 10, bytes.length / 2, bytes.length - 1}) {
            assertThatThrownBy(() -> StateCodec.decodeState(Arrays.copyOf(bytes, length)))
                    .isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> StateCodec.decodeState(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void tablesThatAreEqualShareTheirRowsAfterASnapshot() throws IOException {
        var read = StateCodec.decodeState(StateCodec.encode(state)).sharing(state);
        for (int slot = 0; slot < table.size(); slot++) {
            assertThat(read.replication().table(1).orElseThrow().row(slot)).isSameAs(table.row(slot));
        }
    }

    @Test
    void keyGoesToTheNodeOfItsSlotsPrimaryAlsoWhileThatIsDown() {
        var bucket = state.buckets().find("b3").orElseThrow();
        var view = ClusterView.of(state);
        int slot = view.group(bucket).orElseThrow().slotOf(bucket.id(), "key");
        var primary = view.primary(bucket, "key");
        assertThat(view.row(bucket, "key")).containsSame(table.row(slot));
        assertThat(view.owner(table.row(slot).primary().drive())).contains(primary);
        var entry = state.replication().target(primary.id()).orElseThrow();
        var down =
                ClusterView.of(Planner.next(state, new Command.Down(primary.id(), entry.version(), new TreeMap<>())));
        assertThat(down.primary(bucket, "key")).isEqualTo(primary);
    }

    @Test
    void targetThatIsDownOrNoPrimaryServesNoSlot() {
        var bucket = state.buckets().find("b3").orElseThrow();
        var gone = new NodeId("target002");
        var all = List.copyOf(state.map().targets());
        var others = all.stream().filter(node -> !node.id().equals(gone)).toList();
        assertThat(ClusterView.of(state).primaries(bucket)).isEqualTo(all);
        var entry = state.replication().target(gone).orElseThrow();
        var down = Planner.next(state, new Command.Down(gone, entry.version(), new TreeMap<>()));
        assertThat(ClusterView.of(down).primaries(bucket)).as("down").isEqualTo(others);
        var back = Planner.next(down, new Command.Expel(asking(down, gone)), new Command.Up(gone, entry.incarnation()));
        assertThat(back.replication().target(gone).orElseThrow().up()).isTrue();
        assertThat(ClusterView.of(back).primaries(bucket)).as("no primary").isEqualTo(others);
        assertThat(ClusterView.of(led(back, "target002-0")).primaries(bucket)).isEqualTo(all);
        var out = Planner.next(
                led(back, "target002-0"),
                new Command.DriveOut(gone, new TreeMap<>(Map.of("target002-0", entry.incarnation()))));
        assertThat(ClusterView.of(out).primaries(bucket)).as("drive out").isEqualTo(others);
    }

    /// The state with this drive as the primary of one slot.
    private static ClusterState led(ClusterState state, String drive) {
        var rows = new TreeMap<>(Map.of(1, leading(drive)));
        return state.apply(new Change(state.version(), Optional.empty(), Optional.empty(), Optional.empty(), rows))
                .orElseThrow();
    }

    private static SlotRows leading(String drive) {
        var members = List.of(new Member(drive, true, 1, 9));
        return SlotRows.of(new int[] {77}, new SlotRow[] {new SlotRow(9, members, 9, 9, List.of(), true)});
    }

    @Test
    void whereNoSlotsAreKnownAllTargetsMayServe() {
        var gone = new NodeId("target002");
        var entry = state.replication().target(gone).orElseThrow();
        var one = Planner.next(state, create(1), new Command.Down(gone, entry.version(), new TreeMap<>()));
        var all = List.copyOf(state.map().targets());
        assertThat(ClusterView.of(one).primaries(one.buckets().find("b1").orElseThrow()))
                .isEqualTo(all);
        var older = ClusterView.of(formed);
        assertThat(older.primaries(state.buckets().find("b3").orElseThrow())).isEqualTo(all);
    }

    @Test
    void primariesAreFoundOnceForEachTable() {
        var primaries = table.primaryDrives();
        assertThat(primaries).hasSize(TARGETS * DRIVES_EACH);
        var entry = state.replication().target(new NodeId("target002")).orElseThrow();
        var down = Planner.next(state, new Command.Down(new NodeId("target002"), entry.version(), new TreeMap<>()));
        assertThat(down.replication().table(1).orElseThrow().primaryDrives()).isSameAs(primaries);
        assertThat(table.with(leading("new")).primaryDrives()).contains("new").hasSize(primaries.size() + 1);
        assertThat(table.primaryDrives()).isSameAs(primaries);
    }

    @Test
    void slotsAreCountedByState() {
        long all = table.size();
        var before = ClusterView.of(state).allSlotCounts();
        assertThat(before.allFull()).isTrue();
        assertThat(before.total()).isEqualTo(all);
        var gone = target(state, table.row(0).primary().drive());
        var entry = state.replication().target(gone).orElseThrow();
        var counts = ClusterView.of(Planner.next(state, new Command.Down(gone, entry.version(), new TreeMap<>())))
                .slotCounts()
                .getOrDefault(1, SlotCounts.NONE);
        assertThat(counts.degraded() + counts.unopened()).isBetween(2 * all / 5, 3 * all / 5);
        assertThat(counts.unopened()).isPositive(); // those that it leads
        assertThat(counts.waiting()).isEqualTo(Map.of(gone.value(), counts.unopened()));
        assertThat(counts.full() + counts.degraded() + counts.unopened()).isEqualTo(all);
    }

    /// For each slot that had a member on this target, another in-sync one.
    private static List<Command.SlotDrive> asking(ClusterState state, NodeId gone) {
        var asking = new ArrayList<Command.SlotDrive>();
        var table = state.replication().table(1).orElseThrow();
        for (int slot = 0; slot < table.size(); slot++) {
            var row = table.row(slot);
            boolean had = row.members().stream()
                    .anyMatch(member -> target(state, member.drive()).equals(gone));
            var other = row.inSync().stream()
                    .filter(member -> !target(state, member.drive()).equals(gone))
                    .findFirst();
            if (had && other.isPresent()) {
                asking.add(new Command.SlotDrive(
                        1, slot, row.epoch(), other.get().drive(), other.get().incarnation()));
            }
        }
        return asking;
    }

    /// Seconds here would be seconds in which every slot of a dead target is away.
    @Test
    @Timeout(60)
    void everySlotIsPlannedInWellUnderASecond() {
        long best = Long.MAX_VALUE;
        var all = new ArrayList<Long>();
        for (int run = 0; run < 5; run++) {
            var target = new NodeId("target00" + run);
            var entry = state.replication().target(target).orElseThrow();
            var down = Planner.next(state, new Command.Down(target, entry.version(), new TreeMap<>()));
            var expel = new Command.Expel(asking(down, target));
            long begin = System.nanoTime();
            var change = Planner.plan(down, expel, PlanningFacts.KNOWS_NOTHING);
            long took = System.nanoTime() - begin;
            assertThat(change.orElseThrow().size()).isGreaterThan(table.size() / 3);
            all.add(took / 1_000_000);
            best = Math.min(best, took);
        }
        assertThat(best).as("ms: %s", all).isLessThan(1_000_000_000);
    }
}
