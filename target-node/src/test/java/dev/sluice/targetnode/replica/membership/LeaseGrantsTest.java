package dev.sluice.targetnode.replica.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.name.NodeId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaseGrantsTest {
    private final LeaseGrants leases = new LeaseGrants(3);

    private Optional<Long> answered(String controller, boolean promised, long version) {
        return leases.add(
                new HeartbeatAnswer(new NodeId("target00" + controller), promised, version, Leadership.UNKNOWN));
    }

    @Test
    void leaseTakesTheVersionsThatAMajorityNames() {
        assertThat(answered("a", true, 9)).isEmpty();
        assertThat(answered("a", true, 9)).as("one controller is no majority").isEmpty();
        assertThat(answered("b", false, 7)).as("it promises nothing").isEmpty();
        assertThat(answered("c", true, 12)).as("the newer of two").contains(12L);
    }

    @Test
    void thirdPromiseNeedsNoNewerVersionThanTheFirstTwo() {
        assertThat(answered("a", true, 12)).isEmpty();
        assertThat(answered("b", true, 9)).contains(12L);
        assertThat(answered("c", true, 10))
                .as("those of b and c are a majority")
                .contains(10L);
    }

    @Test
    void loneControllersPromiseIsTheLease() {
        assertThat(new LeaseGrants(1).add(new HeartbeatAnswer(new NodeId("target001"), true, 5, Leadership.UNKNOWN)))
                .contains(5L);
    }
}
