package dev.sluice.targetnode.replica.membership;

import static dev.sluice.targetnode.replica.membership.FollowedStates.inSync;
import static dev.sluice.targetnode.replica.membership.FollowedStates.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// This target has the drives d1 and d2; d3 and d4 are on two others.
@Timeout(60)
class FollowedStateTest {
    @TempDir
    private Path folder;

    private FollowedStates states;

    @BeforeEach
    void start() throws Exception {
        states = new FollowedStates(folder);
    }

    @AfterEach
    void stop() {
        states.close();
    }

    @Test
    void eachDriveIsHandedTheRowsThatNameItAndLaterThoseThatChanged() {
        states.set(3, row(1, inSync("d1"), inSync("d3")));
        states.set(5, row(1, inSync("d3"), inSync("d2"))); // a learner would ask again and again
        states.follow();
        assertThat(states.loops.handed("d1")).containsExactly(3);
        assertThat(states.loops.handed("d2")).containsExactly(5);
        assertThat(states.primary(3)).contains("d1");
        states.set(3, row(2, inSync("d3"), inSync("d2")));
        states.follow();
        assertThat(states.loops.handed("d1")).as("it is no member any more").containsExactly(3);
        assertThat(states.loops.handed("d2")).containsExactly(3);
        assertThat(states.primary(3)).isEmpty();
        states.follow();
        assertThat(states.loops.handed("d1")).isEmpty();
        assertThat(states.loops.handed("d2")).isEmpty();
    }

    /// More members than a code has are of use, unless two have the same slice.
    @Test
    void membersOfOnePositionAreToBecomeOneAndNotThoseOfDifferentOnes() throws Exception {
        states.close();
        states = new FollowedStates(folder, new Group(1, 3, 2, Durability.FSYNC, 1 << 14));
        Arrays.fill(states.rows(), row(1, inSync("d1", 0), inSync("d3", 2), inSync("d4", 1)));
        states.set(3, row(1, inSync("d1", 0), inSync("d3", 0), inSync("d4", 1)));
        states.follow();
        states.loops.promise("d1", states.version());
        states.followAgain();
        assertThat(states.proposals.next())
                .isEqualTo(new Command.Expel(
                        List.of(new Command.SlotDrive(1, 3, 1, "d1", FollowedStates.MINE)),
                        Optional.of(RecordedProposals.ANSWERS)));
    }

    @Test
    void promiseCountsWhenItsVersionHasBeenHandedOut() {
        states.follow();
        states.loops.promise("d1", states.version() + 1);
        assertThat(states.loops.leased("d1")).isFalse();
        states.follow();
        assertThat(states.loops.leased("d1")).isTrue();
    }

    /// Else d1 serves its old row beside d3, which need not ask it.
    @Test
    void noLeaseCountsAfterRowsWereNotHandedOutAndAllAreHandedOutNext() {
        states.set(3, row(1, inSync("d1"), inSync("d3")));
        states.set(4, row(1, inSync("d1"), inSync("d4")));
        states.follow();
        states.loops.promise("d1", states.version());
        assertThat(states.loops.leased("d1")).isTrue();
        states.set(3, row(2, inSync("d3")));
        states.followAndFail();
        states.loops.promise("d1", states.version());
        assertThat(states.loops.leased("d1")).isFalse();
        states.follow();
        assertThat(states.loops.handed("d1")).containsExactlyInAnyOrder(3, 4);
        assertThat(states.primary(3)).isEmpty();
        assertThat(states.primary(4)).contains("d1");
        assertThat(states.loops.leased("d1"))
                .as("its promise named a version that it has now")
                .isTrue();
    }

    /// The open intents of a slot are looked for by them.
    @Test
    void lookUpsShowAStateBeforeItsRowsAreHandedOut() {
        states.follow();
        states.follow(
                () -> assertThat(states.followed.shown().orElseThrow().state().version())
                        .isEqualTo(states.version()));
    }
}
