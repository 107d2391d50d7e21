package dev.sluice.targetnode.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.controller.judge.FakeClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Four targets with a drive each, and slot 0 of two replicas on A and B. When B's drive is offline placement wants C,
/// and D when C's is not chosen.
@Timeout(60)
class FullDrivesTest {
    private static final int SLOT = 0;
    private static final List<NodeId> TARGETS = IntStream.rangeClosed(1, 4)
            .mapToObj(number -> new NodeId("target%03d".formatted(number)))
            .toList();

    @TempDir
    private Path folder;

    private final FakeClock clock = new FakeClock();
    private final Set<String> full = new HashSet<>();
    private Optional<Controller> open = Optional.empty();
    private String a = "";
    private String b = "";
    private String c = "";
    private String d = "";

    @BeforeEach
    void loseOneDrive() throws IOException {
        Files.createDirectories(folder.resolve(".sluice"));
        open = Optional.of(Controller.open(TestDrives.at(folder), new TreeSet<>(TARGETS), new TreeMap<>(), clock));
        TARGETS.forEach(
                target -> controller().apply(new Command.Join(new Node(target, Role.TARGET, "http://h:1", "", 1))));
        TARGETS.forEach(target -> controller().apply(register(target)));
        controller()
                .apply(new Command.CreateBucket(
                        "twice", 1, BucketProperties.defaults(Optional.empty()).withReplicas(2)));
        clock.passes(2300);
        a = row().members().getFirst().drive();
        b = row().members().getLast().drive();
        controller().apply(new Command.DriveOut(owner(b), new TreeMap<>(Map.of(b, incarnation(owner(b))))));
        controller().apply(new Command.Expel(List.of(named(a))));
        c = row().members().getLast().drive();
        d = TARGETS.stream()
                .map(FullDrivesTest::drive)
                .filter(drive -> !Set.of(a, b, c).contains(drive))
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void close() {
        controller().close();
    }

    private Controller controller() {
        return open.orElseThrow();
    }

    private static String drive(NodeId target) {
        return target + "-drive";
    }

    private Command.Register register(NodeId target) {
        int before = controller().apply(new Command.Fill()).replication().incarnation(target);
        return new Command.Register(
                target, "nonce" + before, before, "boot", List.of(new Command.RegisteredDrive(drive(target), 1, true)));
    }

    private NodeId owner(String drive) {
        return controller()
                .current()
                .replication()
                .drives()
                .find(drive)
                .orElseThrow()
                .target();
    }

    private int incarnation(NodeId target) {
        return controller().current().replication().incarnation(target);
    }

    private SlotRow row() {
        return controller().current().replication().table(1).orElseThrow().row(SLOT);
    }

    private List<String> members() {
        return row().members().stream().map(Member::drive).toList();
    }

    private Command.SlotDrive named(String drive) {
        var member = row().member(drive).orElseThrow();
        return new Command.SlotDrive(1, SLOT, row().epoch(), drive, member.incarnation());
    }

    private void takeOff(String drive) {
        controller().apply(new Command.TakeOff(List.of(named(drive))));
    }

    private void promote(String drive) {
        controller().apply(new Command.Promote(List.of(named(drive))));
    }

    /// Heartbeats come, and what they say is judged.
    private void judge() {
        for (var target : TARGETS) {
            var said = full.stream().filter(drive(target)::equals).collect(Collectors.toSet());
            controller().beat(Heartbeat.of(target, incarnation(target), said));
        }
        controller().judge();
    }

    private void passTwoSeconds() {
        for (int beats = 0; beats < 4; beats++) {
            clock.passes(501);
            judge();
        }
    }

    @Test
    void learnerThatBeganElsewhereStaysUntilItIsInSync() {
        assertThat(members()).containsExactly(a, c);
        takeOff(c);
        controller().apply(new Command.Fill()); // as for another slot
        assertThat(members()).containsExactly(a, d);
        passTwoSeconds();
        assertThat(members()).as("%s may be chosen again", c).containsExactly(a, d);
        promote(d);
        judge();
        assertThat(row().inSync()).extracting(Member::drive).containsExactly(a, d);
        assertThat(members()).as("placement wants %s", c).containsExactly(a, d, c);
    }

    @Test
    void fullDriveThatRefusedGetsNoLearnerAndAnotherDriveFinishes() {
        full.add(c);
        takeOff(c);
        passTwoSeconds();
        assertThat(members()).containsExactly(a, d);
        promote(d);
        long epoch = row().epoch();
        passTwoSeconds();
        passTwoSeconds();
        assertThat(members()).containsExactly(a, d);
        assertThat(row().epoch()).as("nothing changes any more").isEqualTo(epoch);
    }

    @Test
    void learnerThatBeganWhileADriveWasFullStaysWhenItHasRoomAgain() {
        full.add(c);
        takeOff(c);
        passTwoSeconds();
        full.clear();
        passTwoSeconds();
        assertThat(members()).containsExactly(a, d);
        promote(d);
        judge();
        assertThat(members()).containsExactly(a, d, c);
    }

    @Test
    void missingLearnerIsAddedWhenADriveHasRoomAgain() {
        full.addAll(Set.of(c, d));
        takeOff(c);
        passTwoSeconds();
        assertThat(members()).as("no drive has room").containsExactly(a);
        full.remove(d);
        judge();
        assertThat(members()).containsExactly(a, d);
    }

    @Test
    void learnerOnAFullDriveDoesNotKeepAnotherDriveAway() {
        takeOff(c);
        controller().apply(new Command.Fill());
        assertThat(members()).containsExactly(a, d);
        full.add(d);
        passTwoSeconds();
        assertThat(members()).containsExactly(a, c);
    }

    /// Else it would get learners between its registration and its first heartbeat.
    @Test
    void driveStaysFullOverARestartOfItsTargetUntilThatSaysOtherwise() {
        full.add(c);
        takeOff(c);
        passTwoSeconds();
        takeOff(d);
        int before = incarnation(owner(c));
        controller().apply(register(owner(c)));
        assertThat(members()).as("it has registered again").containsExactly(a);
        controller().beat(Heartbeat.of(owner(c), before, Set.of()));
        controller().judge();
        assertThat(members()).as("an earlier process does not count").containsExactly(a);
        full.clear();
        judge();
        assertThat(members()).containsExactly(a, c);
    }

    @Test
    void targetSpeaksOfItsOwnDrivesOnly() {
        takeOff(c);
        judge();
        controller().beat(Heartbeat.of(owner(a), incarnation(owner(a)), Set.of(c)));
        controller().judge();
        for (int beats = 0; beats < 4; beats++) {
            clock.passes(501);
            TARGETS.forEach(target -> controller().beat(Heartbeat.of(target, incarnation(target), Set.of())));
            controller().beat(Heartbeat.of(owner(a), incarnation(owner(a)), Set.of(c)));
            controller().judge();
        }
        assertThat(members()).containsExactly(a, c);
    }
}
