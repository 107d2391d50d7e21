package dev.sluice.targetnode.replica.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command.Answers;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A target with the drives d1 and d2; of two others one answers.
@Timeout(60)
final class WritableDrivesTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final NodeId SILENT = new NodeId("target002");
    private static final NodeId CONTROLLER = new NodeId("target009");
    private static final int MINE = FollowedStates.MINE;

    @TempDir
    private Path folder;

    private FollowedStates states;
    private Optional<WritableDrives.AnsweredBeat> beat = Optional.of(new WritableDrives.AnsweredBeat(CONTROLLER, 5));
    private WritableDrives drives;

    @BeforeEach
    void begin() throws Exception {
        states = new FollowedStates(folder);
        drives = new WritableDrives(
                SELF,
                new Asker(),
                states.loops.byDrive(),
                () -> List.of(
                        new PeerAddress(SILENT, "http://two"),
                        new PeerAddress(new NodeId("target003"), "http://three")),
                new Others(),
                task -> Thread.ofVirtual().start(task));
    }

    @AfterEach
    void end() {
        states.close();
    }

    private final class Asker implements WritableDrives.Asker {
        @Override
        public int incarnation() {
            return MINE;
        }

        @Override
        public Optional<WritableDrives.AnsweredBeat> answeredBeat() {
            return beat;
        }
    }

    private static final class Others implements ReplicaPeers {
        @Override
        public void deliver(PeerAddress to, byte[] batch) {
            throw new UnsupportedOperationException("no message is sent");
        }

        @Override
        public void ping(PeerAddress to) {
            throw new UnsupportedOperationException("no ping");
        }

        @Override
        public SortedMap<String, Integer> writable(PeerAddress to) {
            if (to.id().equals(SILENT)) {
                throw new StoreException.Unavailable("no answer");
            }
            return new TreeMap<>(Map.of("d4", 3));
        }

        @Override
        public Content content(PeerAddress from, String query, Duration firstByte) {
            throw new UnsupportedOperationException(query);
        }
    }

    private Answers answers(Map<String, Integer> named) {
        return new Answers(SELF, MINE, 5, CONTROLLER, new TreeMap<>(named));
    }

    @Test
    void thoseAreNamedThatAnswer() {
        assertThat(drives.ask().join()).contains(answers(Map.of("d1", MINE, "d2", MINE, "d4", 3)));
    }

    @Test
    void driveThatCannotWriteIsNotNamed() {
        states.loops.breakWrites("d1");
        assertThat(drives.ask().join()).contains(answers(Map.of("d2", MINE, "d4", 3)));
    }

    /// Its cores order nothing more.
    @Test
    void driveWhoseLoopHasEndedIsNotNamed() {
        Objects.requireNonNull(states.loops.byDrive().get("d2")).close();
        assertThat(drives.here()).isEqualTo(Map.of("d1", MINE));
    }

    /// The controllers cannot say how old it is.
    @Test
    void nothingIsAskedBeforeTheLeaderHasAnsweredABeat() {
        beat = Optional.empty();
        assertThat(drives.ask().join()).isEmpty();
        assertThat(drives.none()).isEmpty();
    }
}
