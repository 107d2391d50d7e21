package dev.sluice.targetnode.controller.raft;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// A log that begins with one server.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(90)
final class RaftMembersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path root;

    private TestServers servers;

    @BeforeEach
    void begin() throws Exception {
        servers = new TestServers(root);
        servers.open("a", Set.of("a"));
        servers.awaitLeader();
        for (long number = 0; number < 10; number++) {
            servers.propose(number, 100);
        }
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private void change(String... next) throws Exception {
        servers.server(servers.awaitLeader()).changeMembers(Set.of(next), PATIENCE);
    }

    private static List<Long> numbers(long to) {
        return LongStream.range(0, to).boxed().toList();
    }

    @Test
    void aLoneServerConfirmsAndGoesOnAlone() throws Exception {
        servers.server("a").confirm(PATIENCE);
        assertThat(servers.server("a").members()).containsExactly("a");
        servers.closeAll();
        servers.open("a", Set.of("a"));
        servers.awaitLeader();
        eventually(() -> servers.numbers("a").equals(numbers(10)));
    }

    @Test
    void serversThatWereAddedHaveEverythingAndReplaceTheFirst() throws Exception {
        for (var id : List.of("b", "c")) {
            servers.open(id, Set.of());
        }
        change("a", "b");
        assertThat(servers.numbers("b")).as("caught up before it counts").isEqualTo(numbers(10));
        change("a", "b", "c");
        change("a", "b", "c"); // asked again
        servers.server(servers.awaitLeader()).confirm(PATIENCE);
        servers.close("a");
        servers.awaitLeader();
        servers.propose(10, 100);
        eventually(() ->
                servers.numbers("b").equals(numbers(11)) && servers.numbers("c").equals(numbers(11)));
        change("b", "c");
        servers.closeAll();
        for (var id : List.of("b", "c")) {
            servers.open(id, Set.of());
        }
        servers.awaitLeader();
        eventually(() -> servers.numbers("c").equals(numbers(11)));
        assertThat(servers.server("c").members()).containsExactlyInAnyOrder("b", "c");
    }

    /// It would be one of three no more, but the founder, who elects itself.
    @Test
    void aFounderThatCannotReadWhoTheServersAreDoesNotStart() throws Exception {
        servers.open("b", Set.of());
        change("a", "b");
        servers.closeAll();
        var file = servers.files("a").configurationFile();
        var whole = Files.readAllBytes(file);
        for (var bad : List.of(new byte[0], Arrays.copyOf(whole, whole.length / 2), new byte[] {9, 9, 9})) {
            Files.write(file, bad);
            assertThatThrownBy(() -> servers.open("a", Set.of("a"))).isInstanceOf(LostLogException.class);
        }
        Files.delete(file);
        assertThatThrownBy(() -> servers.open("a", Set.of("a"))).isInstanceOf(LostLogException.class);
        Files.write(file, whole);
        servers.open("a", Set.of("a"));
        servers.open("b", Set.of());
        servers.propose(10, 100);
    }

    /// Those that nobody added do not become a log of their own, however long they wait.
    @Test
    void serversThatNobodyAddedElectNobody() throws Exception {
        servers.open("b", Set.of());
        servers.open("c", Set.of());
        servers.closeAllBut("b", "c");
        assertThatThrownBy(() -> servers.server("b").propose(NumberMachine.entry(1, 8), Duration.ofSeconds(3)))
                .isInstanceOf(ConsensusException.class);
        assertThat(servers.server("b").leader()).isEmpty();
        assertThat(servers.server("b").members()).isEmpty();
        assertThat(servers.numbers("b")).isEmpty();
    }

    @Test
    void twoChangesAtOnceAreRefused() throws IOException {
        servers.open("b", Set.of());
        servers.open("c", Set.of());
        assertThatThrownBy(() -> change("a", "b", "c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one server at a time");
        assertThatThrownBy(() -> change("b")).isInstanceOf(IllegalArgumentException.class);
    }

    /// The one that is to be added is away: nothing changes, and the log goes on.
    @Test
    void aServerThatIsAwayIsNotAdded() throws Exception {
        assertThatThrownBy(() -> servers.server("a").changeMembers(Set.of("a", "b"), Duration.ofSeconds(2)))
                .isInstanceOf(ConsensusException.OutcomeUnknown.class);
        servers.propose(10, 100);
        servers.open("b", Set.of());
        eventually(() -> isAdded("b"));
        assertThat(servers.server("a").members()).containsExactlyInAnyOrder("a", "b");
    }

    private boolean isAdded(String id) {
        try {
            change("a", id);
            return true;
        } catch (ConsensusException notYet) {
            return false;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
