package dev.sluice.targetnode.replica.membership;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketTable;
import dev.sluice.common.cluster.ClusterMap;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.DriveTable;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.jobs.JobTable;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.replica.loop.RecordedLoops;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/// States of a cluster, as they come to a target one after the other. It has the drives d1 and d2; d3 and d4 are those
/// of target002 and target003.
public final class FollowedStates implements AutoCloseable {
    public static final Group GROUP = new Group(1, 2, Durability.FSYNC, 1 << 14);
    static final int MINE = 1;
    static final NodeId SELF = new NodeId("target001");

    private static final Map<String, NodeId> OWNERS =
            Map.of("d1", SELF, "d2", SELF, "d3", new NodeId("target002"), "d4", new NodeId("target003"));

    final RecordedProposals proposals = new RecordedProposals();
    public final RecordedLoops loops;

    /// Asked for the slots of a group while rows are handed out.
    private Function<Group, GroupSlots> asking;

    private final Group group;
    private final SlotRow[] rows;
    private Optional<SlotTable> table = Optional.empty();
    private final TemporaryLearners learners = new TemporaryLearners(() -> 0);
    private final GroupSlots slots;
    public final FollowedState followed = new FollowedState(learners, proposals.proposer());
    private long version;

    FollowedStates(Path folder) throws Exception {
        this(folder, GROUP);
    }

    FollowedStates(Path folder, Group group) throws Exception {
        this.group = group;
        rows = new SlotRow[group.slots()];
        slots = new GroupSlots(group);
        asking = _ -> slots;
        loops = new RecordedLoops(folder, MINE, "d1", "d2");
        Arrays.fill(rows, row(1, inSync("d3"), inSync("d4")));
    }

    public static Member inSync(String drive) {
        return new Member(drive, true, incarnation(drive), 1);
    }

    static Member inSync(String drive, int position) {
        return new Member(drive, true, incarnation(drive), 1, position);
    }

    /// One for each target.
    private static int incarnation(String drive) {
        return drive.equals("d3") ? 2 : drive.equals("d4") ? 3 : MINE;
    }

    public static SlotRow row(long epoch, Member... members) {
        return new SlotRow(epoch, List.of(members), 1, 1, List.of(), true);
    }

    /// In the next state.
    public void set(int slot, SlotRow row) {
        rows[slot] = row;
        table = Optional.empty();
    }

    /// Of the next state.
    SlotRow[] rows() {
        return rows;
    }

    public long version() {
        return version;
    }

    public ClusterState state() {
        var targets = new TreeMap<NodeId, TargetEntry>();
        var drives = new TreeMap<String, DriveEntry>();
        OWNERS.forEach((drive, target) -> {
            targets.put(target, new TargetEntry(incarnation(drive), "nonce", "boot", true, 1, false));
            drives.put(drive, new DriveEntry(target, 1, false, incarnation(drive), "nonce"));
        });
        var slotTable = table.orElseGet(() -> SlotTable.of(rows));
        table = Optional.of(slotTable);
        var groups = new TreeMap<>(Map.of(group.id(), group));
        var replication = new Replication(
                3,
                targets,
                new DriveTable(drives),
                new TreeMap<>(Map.of(new NodeId("target001"), 1)),
                groups,
                new TreeSet<>(),
                Map.of(group.id(), slotTable));
        return new ClusterState(
                ++version,
                "cluster1",
                new TreeSet<>(OWNERS.values()),
                ClusterMap.EMPTY,
                BucketTable.EMPTY,
                new TreeMap<>(),
                replication,
                JobTable.EMPTY);
    }

    /// The next state: what was set since.
    public void follow() {
        loops.forget();
        followed.follow(state(), _ -> loops.byDrive(), asking);
        loops.awaitAll();
    }

    /// The same state once more, as while members are to go.
    void followAgain() {
        version--;
        follow();
    }

    /// The same, but handing out its rows fails.
    void followAndFail() {
        loops.forget();
        asking = _ -> {
            throw new IllegalStateException("a bug");
        };
        assertThatThrownBy(() -> followed.follow(state(), _ -> loops.byDrive(), asking))
                .hasMessage("a bug");
        loops.awaitAll();
        asking = _ -> slots;
    }

    /// @param step while rows are handed out
    public void follow(Runnable step) {
        asking = _ -> {
            step.run();
            return slots;
        };
        follow();
        asking = _ -> slots;
    }

    /// The drive of this target that is the primary of a slot.
    public Optional<String> primary(int slot) {
        return slots.primary(slot).map(replica -> replica.loop().id());
    }

    @Override
    public void close() {
        loops.close();
        proposals.close();
    }
}
