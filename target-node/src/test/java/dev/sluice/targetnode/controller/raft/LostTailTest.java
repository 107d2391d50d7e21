package dev.sluice.targetnode.controller.raft;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A server whose last entry is damaged, which may have been acknowledged.
@Timeout(90)
final class LostTailTest {
    private static final long ENTRIES = 20;
    private static final List<Long> ALL = LongStream.range(0, ENTRIES).boxed().toList();

    @TempDir
    Path root;

    private TestServers servers;

    @BeforeEach
    void start() throws Exception {
        servers = new TestServers(root);
        servers.openAll();
        servers.awaitLeader();
        for (long number = 0; number < ENTRIES; number++) {
            servers.propose(number, 300);
        }
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).equals(ALL)));
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    /// One bit of the newest entry. Its server is not open.
    private void damage(String id) throws IOException {
        var folder = servers.files(id).current();
        var name = SyncedFiles.names(folder).stream()
                .filter(each -> each.startsWith("log_inprogress_"))
                .findFirst()
                .orElseThrow();
        var bytes = Files.readAllBytes(folder.resolve(name));
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        bytes[end - 100] ^= 1;
        Files.write(folder.resolve(name), bytes);
    }

    private Path debt(String id) {
        return servers.folder(id).resolve("lost-tail");
    }

    @Test
    void itVotesForALogThatHasTheEntryAndIsAsGoodAsEveryOtherAfterThat() throws Exception {
        servers.closeAll();
        damage("b");
        servers.open("b");
        assertThat(debt("b")).exists();
        servers.open("a");
        assertThat(servers.awaitLeader()).isEqualTo("a");
        eventually(() -> servers.numbers("b").equals(ALL) && !Files.exists(debt("b")));
        assertThat(servers.server("b").trouble()).isEmpty();

        servers.close("a");
        servers.open("c");
        servers.awaitLeader();
        servers.propose(ENTRIES, 300);
    }

    /// The entry was committed by the damaged one and by one that is away: the third one never had it.
    @Test
    void neitherItNorOneThatHasNotTheEntryLeads() throws Exception {
        var leader = servers.awaitLeader();
        var damaged = others(Set.of(leader));
        var without = others(Set.of(leader, damaged));
        servers.network.cut(without);
        servers.propose(ENTRIES, 300);
        eventually(() -> servers.numbers(damaged).contains(ENTRIES));
        servers.closeAll();
        servers.network.heal();
        damage(damaged);
        servers.open(damaged);
        servers.open(without);
        eventually(() -> {
            assertThat(servers.leader()).isEmpty();
            return servers.network.refusedVotes.size() > 4;
        });
        assertThat(servers.network.refusedVotes).anyMatch(why -> why.contains("no vote for a log that ends at entry"));
        assertThat(servers.server(damaged).trouble())
                .hasValueSatisfying(why -> assertThat(why).contains("is damaged"));

        servers.open(leader);
        assertThat(servers.awaitLeader()).isEqualTo(leader);
        eventually(() -> servers.numbers(damaged).contains(ENTRIES)
                && servers.numbers(without).contains(ENTRIES)
                && !Files.exists(debt(damaged)));
    }

    private static String others(Set<String> than) {
        return TestServers.PEERS.stream()
                .filter(id -> !than.contains(id))
                .sorted()
                .findFirst()
                .orElseThrow();
    }

    /// It once heard that the server has the entry.
    @Test
    void aLeaderThatLedAllTheTimeSendsTheEntryAgain() throws Exception {
        var leader = servers.awaitLeader();
        var damaged = others(Set.of(leader));
        servers.close(damaged);
        damage(damaged);
        servers.open(damaged);
        eventually(() -> servers.numbers(damaged).equals(ALL) && !Files.exists(debt(damaged)));
    }

    @Test
    void anotherStartDoesNotMakeItForget() throws Exception {
        servers.closeAll();
        damage("b");
        for (int start = 0; start < 2; start++) {
            servers.open("b");
            assertThat(servers.server("b").trouble()).isPresent();
            servers.close("b");
        }
        assertThat(debt("b")).exists();
    }
}
