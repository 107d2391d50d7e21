package dev.sluice.targetnode.replica.membership;

import static dev.sluice.targetnode.replica.membership.FollowedStates.MINE;
import static dev.sluice.targetnode.replica.membership.FollowedStates.inSync;
import static dev.sluice.targetnode.replica.membership.FollowedStates.row;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command.Answers;
import dev.sluice.common.cluster.Command.CutOff;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A target with the drives d1 and d2, which does not hear target002, the owner of d3. It hears target003.
@Timeout(60)
class UnreachableMembersTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final NodeId CONTROLLER = new NodeId("target009");
    private static final NodeId SILENT = new NodeId("target002");
    private static final NodeId HEARD = new NodeId("target003");
    private static final long BEAT = 5;
    private static final int TICKS = 60;

    @TempDir
    private Path folder;

    private boolean silent = true;
    private long now;
    private FollowedStates states;
    private Pings pings;
    private UnreachableMembers members;

    @BeforeEach
    void begin() throws Exception {
        begin(FollowedStates.GROUP);
    }

    private void begin(Group group) throws Exception {
        states = new FollowedStates(folder, group);
        pings = new Pings(
                SELF,
                () -> List.of(new PeerAddress(SILENT, "http://two"), new PeerAddress(HEARD, "http://three")),
                new Answering(),
                () -> now,
                Runnable::run);
        members = members();
        states.set(1, row(4, inSync("d1"), inSync("d3")));
        states.set(2, row(5, inSync("d2"), inSync("d4")));
        states.set(3, row(6, inSync("d3"), inSync("d1")));
        states.follow();
        states.loops.promise("d1", states.version());
        states.loops.promise("d2", states.version());
        members.look();
        pass();
    }

    private UnreachableMembers members() {
        return new UnreachableMembers(
                SELF,
                pings,
                new WritableDrives(
                        SELF,
                        new Asker(),
                        states.loops.byDrive(),
                        () -> List.of(new PeerAddress(HEARD, "http://three")),
                        new Answering(),
                        Runnable::run),
                states.loops.byDrive(),
                states.followed::shown,
                states.proposals.proposer(),
                () -> now);
    }

    @AfterEach
    void end() {
        states.close();
    }

    private static final class Asker implements WritableDrives.Asker {
        @Override
        public int incarnation() {
            return MINE;
        }

        @Override
        public Optional<WritableDrives.AnsweredBeat> answeredBeat() {
            return Optional.of(new WritableDrives.AnsweredBeat(CONTROLLER, BEAT));
        }
    }

    private final class Answering implements ReplicaPeers {
        @Override
        public void deliver(PeerAddress to, byte[] batch) {
            throw new UnsupportedOperationException("no message is sent");
        }

        @Override
        public void ping(PeerAddress to) {
            if (silent && to.id().equals(SILENT)) {
                throw new StoreException.Unavailable("no answer");
            }
        }

        @Override
        public SortedMap<String, Integer> writable(PeerAddress to) {
            return new TreeMap<>(Map.of("d4", 3));
        }

        @Override
        public Content content(PeerAddress from, String query, Duration firstByte) {
            throw new UnsupportedOperationException(query);
        }
    }

    private void pass() {
        for (int i = 0; i < TICKS; i++) {
            now += 50_000_000;
            pings.came(HEARD);
            pings.came(SILENT);
            pings.tick();
        }
    }

    @Test
    void membersOfTheSilentTargetAreToLeaveTheSlotsWhosePrimaryIsHere() {
        members.look();
        assertThat(states.proposals.next())
                .isEqualTo(
                        new CutOff(SELF, MINE, BEAT, CONTROLLER, SILENT, List.of(new SlotDrive(1, 1, 4, "d1", MINE))));
        states.proposals.requireNone();
    }

    /// Those that are to stay make its objects.
    @Test
    void ofCodedSlotsTheDrivesAreNamedThatHaveJustAnswered() throws Exception {
        states.close();
        begin(new Group(1, 3, 2, Durability.FSYNC, 1 << 14));
        var answers = new Answers(SELF, MINE, BEAT, CONTROLLER, new TreeMap<>(Map.of("d1", MINE, "d2", MINE, "d4", 3)));
        var all = new CutOff(answers, SILENT, List.of(new SlotDrive(1, 1, 4, "d1", MINE)));
        eventually(
                () -> { // a drive of this machine may be slow, and is not named then
                    members.look();
                    return states.proposals.next().equals(all);
                });
    }

    /// A target that returns has members at once, and was not heard for a long time.
    @Test
    void targetThatHasJustComeUpHasTimeToBeHeard() {
        members = members();
        members.look();
        states.proposals.requireNone();
        pass();
        members.look();
        assertThat(states.proposals.next()).isInstanceOf(CutOff.class);
    }

    @Test
    void nothingIsAskedForWhileAllAreHeard() {
        silent = false;
        pass();
        members.look();
        states.proposals.requireNone();
    }

    @Test
    void driveWithoutALeaseAsksForNothing() {
        states.loops.byDrive().values().forEach(loop -> loop.lease().withdraw());
        members.look();
        states.proposals.requireNone();
    }

    @Test
    void driveThatCannotWriteAsksForNothing() {
        states.loops.breakWrites("d1");
        members.look();
        states.proposals.requireNone();
    }
}
