package dev.sluice.targetnode.replica.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.name.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Controllers that take each command only when the test lets them.
@Timeout(60)
final class ProposerTest {
    private static final NodeId SELF = new NodeId("target001");

    private final LinkedBlockingQueue<Command> applied = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Boolean> turns = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<CompletableFuture<Optional<Command.Answers>>> asked = new LinkedBlockingQueue<>();
    private final Proposer proposer = new Proposer(new SlowControl(), this::ask);

    private final class SlowControl implements ControlPlane {
        private final ClusterState state = ClusterState.create("cluster1", new TreeSet<>(), new TreeMap<>());

        @Override
        public ClusterView view() {
            return ClusterView.of(state);
        }

        @Override
        public CompletableFuture<ClusterState> watch(long version) {
            return new CompletableFuture<>();
        }

        @Override
        public ClusterState apply(Command command) {
            applied.add(command);
            try {
                var _ = turns.take();
            } catch (InterruptedException ended) {
                throw new IllegalStateException(ended);
            }
            return state;
        }

        @Override
        public ClusterState confirm() {
            return state;
        }
    }

    private CompletableFuture<Optional<Command.Answers>> ask() {
        var answer = new CompletableFuture<Optional<Command.Answers>>();
        asked.add(answer);
        return answer;
    }

    @AfterEach
    void close() {
        proposer.close();
    }

    private Command next() throws InterruptedException {
        var command = applied.poll(30, TimeUnit.SECONDS);
        assertThat(command).isNotNull();
        return command;
    }

    private void letGo() {
        turns.add(true);
    }

    private static Command.SlotDrive slot(int slot, String drive) {
        return new Command.SlotDrive(1, slot, 5, drive, 1);
    }

    private static Command.CutOff cut(long beat, String drive, int slot) {
        return new Command.CutOff(SELF, 1, beat, SELF, new NodeId("target002"), List.of(slot(slot, drive)));
    }

    /// Of a silent target, each drive asks anew several times a second; a controller takes as long for each.
    @Test
    void requestsThatASilentTargetLeavesKeepNobodyElseWaiting() throws InterruptedException {
        proposer.add(cut(1, "a", 0));
        assertThat(next()).isEqualTo(cut(1, "a", 0));
        for (int beat = 2; beat <= 20; beat++) {
            proposer.add(cut(beat, "b", 0));
            proposer.add(cut(beat, "a", 0));
            proposer.add(cut(beat, "a", 5000));
        }
        proposer.add(new Command.Expel(List.of(slot(3, "a"))));
        letGo();
        assertThat(next()).isEqualTo(new Command.Expel(List.of(slot(3, "a"))));
        var rest = new ArrayList<Command>();
        for (int i = 0; i < 3; i++) {
            letGo();
            rest.add(next());
        }
        assertThat(rest)
                .as("the newest of each, in turn")
                .containsExactly(cut(20, "b", 0), cut(20, "a", 0), cut(20, "a", 5000));
        letGo();
        proposer.add(cut(21, "c", 0));
        assertThat(next()).isEqualTo(cut(21, "c", 0));
    }

    /// The question comes after the reason; without an answer nobody is to leave.
    @Test
    void whoCouldStayIsAskedForEachRequestAboutCodedSlots() throws InterruptedException {
        var group = new Group(1, 3, 2, Durability.FSYNC, 16);
        proposer.expel(group, List.of(slot(3, "a")));
        var first = asked.poll(30, TimeUnit.SECONDS);
        assertThat(applied).isEmpty();
        Objects.requireNonNull(first).complete(Optional.empty());
        proposer.expel(group, List.of(slot(4, "a")));
        var answers = Optional.of(RecordedProposals.ANSWERS);
        Objects.requireNonNull(asked.poll(30, TimeUnit.SECONDS)).complete(answers);
        assertThat(next()).isEqualTo(new Command.Expel(List.of(slot(4, "a")), answers));
        letGo();
        assertThat(asked).isEmpty();
    }

    @Test
    void whatCanWaitDoesNotWaitForEverOnSlowControllers() throws InterruptedException {
        var opened = new Command.Opened(List.of(new Command.SlotEpoch(1, 3, 5)));
        proposer.add(opened);
        long beat = 1;
        proposer.add(cut(beat, "a", 0));
        for (var command = next(); !command.equals(opened); command = next()) {
            assertThat(++beat).isLessThan(60);
            proposer.add(cut(beat, "a", 0));
            letGo();
        }
        letGo();
    }
}
