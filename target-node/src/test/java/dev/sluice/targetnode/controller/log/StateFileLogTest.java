package dev.sluice.targetnode.controller.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.FoundCluster;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.files.TestDrives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StateFileLogTest {
    private static final NodeId SELF = new NodeId("target001");

    @TempDir
    private Path folder;

    private Consensus log;
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        Files.createDirectories(folder.resolve("d0/.sluice"));
        log = opened();
    }

    private Consensus opened() throws IOException {
        return StateFileLog.open(TestDrives.at(folder.resolve("d0")), SELF);
    }

    private static FoundCluster founding(String id) {
        return new FoundCluster(id, new TreeSet<>(Set.of(SELF)));
    }

    private static Change boot(ClusterState from, int number) {
        return Planner.plan(from, new Command.ControllerBoot(SELF, number), PlanningFacts.KNOWS_NOTHING)
                .orElseThrow();
    }

    @Test
    void onlyTheFirstEntryFoundsTheCluster() {
        assertThat(log.snapshot()).isEmpty();
        assertThat(log.propose(founding("one"))).isTrue();
        assertThat(log.propose(founding("other"))).isFalse();
        assertThat(log.snapshot().orElseThrow().clusterId()).isEqualTo("one");
    }

    @Test
    void entryThatWasMadeForAnotherStateHasNoEffect() throws IOException {
        log.propose(founding("one"));
        log.follow((changes, state) ->
                seen.add(changes.stream().map(Change::ifVersion).toList() + " " + state.version()));
        var first = log.snapshot().orElseThrow();
        assertThat(log.propose(boot(first, 1))).isTrue();
        assertThat(log.propose(boot(first, 2))).isFalse();
        assertThat(log.propose(boot(log.snapshot().orElseThrow(), 3))).isTrue();
        assertThat(seen)
                .as("the state at first, then each entry with an effect")
                .containsExactly("[] 0", "[0] 1", "[1] 2");
        assertThat(opened().snapshot()).isEqualTo(log.snapshot());
    }

    @Test
    void nothingIsLoggedAfterAnEntryOfUnknownOutcome() throws IOException {
        log.propose(founding("one"));
        var state = log.snapshot().orElseThrow();
        log.follow((changes, _) -> seen.add(changes.isEmpty() ? "state" : "entry"));
        Files.move(folder.resolve("d0"), folder.resolve("away"));
        assertThatThrownBy(() -> log.propose(boot(state, 1))).isInstanceOf(StoreException.DriveFailed.class);
        Files.move(folder.resolve("away"), folder.resolve("d0"));
        assertThatThrownBy(() -> log.propose(boot(state, 1))).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(log::requireUsable).isInstanceOf(StoreException.Unavailable.class);
        log.tend();
        assertThat(log.snapshot()).isEqualTo(Optional.of(state));
        assertThat(seen).containsExactly("state");
    }
}
