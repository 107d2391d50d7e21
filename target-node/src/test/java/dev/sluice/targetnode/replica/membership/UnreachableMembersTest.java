package dev.sluice.targetnode.replica.membership;

import static dev.sluice.targetnode.replica.membership.FollowedStates.MINE;
import static dev.sluice.targetnode.replica.membership.FollowedStates.inSync;
import static dev.sluice.targetnode.replica.membership.FollowedStates.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command.CutOff;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.transfer.ReplicaPeers;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
        states = new FollowedStates(folder);
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
                new Asker(),
                states.loops.byDrive(),
                states.followed::shown,
                states.proposals.proposer(),
                () -> now);
    }

    @AfterEach
    void end() {
        states.close();
    }

    private static final class Asker implements UnreachableMembers.Asker {
        @Override
        public int incarnation() {
            return MINE;
        }

        @Override
        public Optional<UnreachableMembers.AnsweredBeat> answeredBeat() {
            return Optional.of(new UnreachableMembers.AnsweredBeat(CONTROLLER, BEAT));
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
        public Content content(PeerAddress from, String query) {
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
