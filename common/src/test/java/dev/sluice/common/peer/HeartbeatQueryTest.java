package dev.sluice.common.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.name.NodeId;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeartbeatQueryTest {
    private static final NodeId TARGET = new NodeId("target001");

    private static Heartbeat read(String query) {
        return HeartbeatQuery.read(QueryParameters.of(query));
    }

    @Test
    void saysTheSameAfterwards() {
        var heard = Set.of(new NodeId("target002"), new NodeId("target003"));
        for (var beat : new Heartbeat[] {
            new Heartbeat(TARGET, 3, 17, Set.of("a drive", "another"), Optional.of(heard), 42),
            new Heartbeat(TARGET, 3, 18, Set.of(), Optional.of(Set.of()), -1),
            new Heartbeat(TARGET, 3, 19, Set.of(), Optional.empty(), 7)
        }) {
            assertThat(read(HeartbeatQuery.of(beat))).isEqualTo(beat);
        }
    }

    @Test
    void whatAnOlderBuildDoesNotSayIsNotKnown() {
        assertThat(read("target=target001&incarnation=3&full=")).isEqualTo(Heartbeat.of(TARGET, 3, Set.of()));
    }

    @Test
    void malformedOnesAreRefused() {
        for (var query : new String[] {
            "target=target001&incarnation=&full=", "target=x&incarnation=1", "target=target001&incarnation=1&heard=x"
        }) {
            assertThatThrownBy(() -> read(query)).as(query).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
