package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.placement.Slot;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoutingTest {
    private static ClusterMap map(int targets, int without) {
        var ids = IntStream.rangeClosed(1, targets)
                .filter(number -> number != without)
                .mapToObj(number -> new NodeId("target%03d".formatted(number)))
                .toList();
        var state = ClusterState.create("c", new TreeSet<>(ids), new TreeMap<>());
        for (var id : ids) {
            state = Planner.next(state, new Command.Join(new Node(id, Role.TARGET, "http://" + id.value(), "", 1)));
        }
        return state.map();
    }

    /// The next one is the one that would be the primary without the first.
    @Test
    void rankingBeginsWithThePrimaryAndGoesOnAsIfThatWereNotThere() {
        var routing = Routing.of(map(5, 0));
        for (int slot = 0; slot < Slot.COUNT; slot += 997) {
            var ranking = routing.ranking(slot);
            assertThat(ranking).containsExactlyInAnyOrderElementsOf(routing.targets());
            assertThat(ranking.getFirst()).isEqualTo(routing.primary(slot));
            int first = routing.targets().indexOf(ranking.getFirst()) + 1;
            assertThat(ranking.get(1)).isEqualTo(Routing.of(map(5, first)).primary(slot));
        }
        assertThat(Routing.of(map(1, 0)).ranking(7))
                .isEqualTo(List.copyOf(map(1, 0).targets()));
    }
}
