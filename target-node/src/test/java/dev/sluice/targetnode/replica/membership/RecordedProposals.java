package dev.sluice.targetnode.replica.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A proposer whose proposals come to a list and change nothing.
final class RecordedProposals implements AutoCloseable {
    /// Who could stay in coded slots.
    static final Command.Answers ANSWERS = new Command.Answers(
            new NodeId("target001"), 1, 5, new NodeId("target009"), new TreeMap<>(Map.of("d1", 1, "d4", 3)));

    private static final Command.SlotCommand LAST = new Command.CutOff(
            new NodeId("target009"),
            9,
            9,
            new NodeId("target009"),
            new NodeId("target010"),
            List.of(new Command.SlotDrive(9, 9, 9, "last", 9)));

    private final LinkedBlockingQueue<Command> proposed = new LinkedBlockingQueue<>();
    private final Proposer proposer =
            new Proposer(new Recording(), () -> CompletableFuture.completedFuture(Optional.of(ANSWERS)));

    private final class Recording implements ControlPlane {
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
            proposed.add(command);
            return state;
        }

        @Override
        public ClusterState confirm() {
            return state;
        }
    }

    Proposer proposer() {
        return proposer;
    }

    Command next() {
        try {
            var command = proposed.poll(30, TimeUnit.SECONDS);
            if (command == null) {
                throw new StoreException.Unavailable("nothing was proposed");
            }
            return command;
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /// Members of silent targets are proposed to go after all else, and in order.
    void requireNone() {
        proposer.add(LAST);
        assertThat(next()).isEqualTo(LAST);
    }

    @Override
    public void close() {
        proposer.close();
    }
}
