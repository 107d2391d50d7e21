package dev.sluice.targetnode.controller.raft;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.targetnode.controller.raft.ConsensusException.NotLeader;
import dev.sluice.targetnode.controller.raft.ConsensusException.OutcomeUnknown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(
        value = RatisConsensusTest.PROCESSORS,
        mode = ResourceAccessMode.READ,
        target = ResourceLockTarget.CHILDREN)
@Timeout(90)
final class RatisConsensusTest {
    /// The other tests wait for those that assert how long an election takes.
    static final String PROCESSORS = "processors";

    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir
    Path root;

    private TestServers servers;

    @BeforeEach
    void start() throws IOException {
        servers = new TestServers(root);
        servers.openAll();
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    @ResourceLock(PROCESSORS)
    @Test
    void acknowledgedEntriesSurviveTheLossOfTheLeaderAndARestart() throws Exception {
        var acknowledged = proposeFrom16Threads(() -> servers.close(servers.awaitLeader()));
        servers.awaitLeader();
        servers.propose(-1, 8);
        var left = TestServers.PEERS.stream()
                .filter(id -> !servers.network.isDown(id))
                .toList();
        assertThat(left).hasSize(2);
        eventually(() -> left.stream().allMatch(id -> servers.numbers(id).contains(-1L)));
        var before = servers.numbers(left.get(0));
        assertThat(before.equals(servers.numbers(left.get(1)))).isTrue();
        assertThat(before).containsAll(acknowledged);

        servers.closeAll();
        servers.openAll();
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).equals(before)));
    }

    /// 1,000 numbers; `half` happens when 500 are acknowledged, and after it the next one within 5 s.
    private Set<Long> proposeFrom16Threads(Event half) throws Exception {
        Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
        var next = new AtomicLong();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var work = new ArrayList<Future<?>>();
            for (var thread = 0; thread < 16; thread++) {
                work.add(threads.submit(() -> {
                    for (var number = next.getAndIncrement(); number < 1_000; number = next.getAndIncrement()) {
                        servers.propose(number, 100);
                        acknowledged.add(number);
                    }
                    return 0;
                }));
            }
            eventually(() -> acknowledged.size() >= 500);
            half.happen();
            var after = acknowledged.size();
            var start = System.nanoTime();
            eventually(() -> acknowledged.size() > after || acknowledged.size() == 1_000);
            assertThat(since(start)).isLessThan(Duration.ofSeconds(5));
            for (var each : work) {
                each.get();
            }
        }
        assertThat(acknowledged).hasSize(1_000);
        return acknowledged;
    }

    private interface Event {
        void happen() throws Exception;
    }

    @Test
    void aLeaderWithoutMajorityCommitsAndConfirmsNothing() throws Exception {
        var old = servers.awaitLeader();
        servers.propose(1, 8);
        servers.server(old).confirm(SHORT);
        servers.network.cut(old);

        // At once: it still thinks that it leads, and it confirmed the same entry a moment ago.
        assertThat(servers.server(old).isLeader()).isTrue();
        assertThatThrownBy(() -> servers.server(old).confirm(SHORT)).isInstanceOf(NotLeader.class);
        assertThatThrownBy(() -> servers.server(old).propose(NumberMachine.entry(2, 8), SHORT))
                .isInstanceOfAny(OutcomeUnknown.class, NotLeader.class);
        assertThat(servers.numbers(old)).containsExactly(1L);

        var next = servers.awaitLeader(old);
        servers.server(next).propose(NumberMachine.entry(3, 8), SHORT);
        servers.server(next).confirm(SHORT);
        assertThatThrownBy(() -> servers.server(old).propose(NumberMachine.entry(4, 8), SHORT))
                .isInstanceOfAny(OutcomeUnknown.class, NotLeader.class);

        servers.network.heal();
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).equals(List.of(1L, 3L))));
        assertThat(servers.server(old).leader()).contains(servers.awaitLeader());
    }

    @Test
    void anEntryInTheLogOfADeposedLeaderHasAnUnknownOutcome() throws Exception {
        var old = servers.awaitLeader();
        servers.network.cut(old);
        assertThatExceptionOfType(OutcomeUnknown.class)
                .isThrownBy(() -> servers.server(old).propose(NumberMachine.entry(1, 8), Duration.ofSeconds(20)));
    }

    @Test
    void aFollowerTakesNothingAndNamesTheLeader() throws Exception {
        var leader = servers.awaitLeader();
        servers.propose(1, 8);
        var follower = TestServers.PEERS.stream()
                .filter(id -> !id.equals(leader))
                .findFirst()
                .orElseThrow();
        eventually(() -> servers.server(follower).leader().isPresent());
        assertThatExceptionOfType(NotLeader.class)
                .isThrownBy(() -> servers.server(follower).propose(NumberMachine.entry(2, 8), SHORT))
                .satisfies(e -> assertThat(e.leader()).contains(leader));
        assertThatThrownBy(() -> servers.server(follower).confirm(SHORT)).isInstanceOf(NotLeader.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"current", "log", "group", "ratis"})
    void aServerThatLostItsLogDoesNotStart(String what) throws Exception {
        servers.awaitLeader();
        servers.propose(1, 8);
        servers.closeAll();
        var folder = servers.files("a");
        switch (what) {
            case "current" -> empty(folder.current(), "");
            case "log" -> empty(folder.current(), "log_");
            case "group" -> SyncedFiles.deleteAll(folder.groupFolder());
            default -> SyncedFiles.deleteAll(folder.storage());
        }
        assertThatExceptionOfType(LostLogException.class)
                .isThrownBy(() -> servers.open("a"))
                .withMessageContaining("is not there");
        servers.open("b");
        servers.open("c");
        servers.propose(2, 8);
    }

    /// The snapshot has less than the log had.
    @Test
    void aServerThatLostItsLogAfterASnapshotDoesNotStart() throws Exception {
        proposeAll(0, 1_200);
        eventually(() -> servers.numbers("a").size() == 1_200);
        servers.closeAll();
        assertThat(snapshots("a")).isNotEmpty();
        empty(servers.files("a").current(), "log_");
        assertThatExceptionOfType(LostLogException.class).isThrownBy(() -> servers.open("a"));
    }

    private static void empty(Path folder, String prefix) throws IOException {
        for (var name : SyncedFiles.names(folder)) {
            if (name.startsWith(prefix)) {
                Files.delete(folder.resolve(name));
            }
        }
    }

    @Test
    void aServerWithAnOlderVoteThanTheOneThatLeftDoesNotStart() throws Exception {
        proposedEverywhere();
        servers.closeAll();
        var folder = servers.files("a");
        var record = VoteRecord.decode(folder.record(), Files.readAllBytes(folder.record()));
        assertThat(record.term()).isPositive();
        var newer = new VoteRecord(record.term() + 1, "b", record.configured(), record.segment());
        SyncedFiles.write(folder.record(), newer.encoded());
        assertThatExceptionOfType(LostVote.class)
                .isThrownBy(() -> servers.open("a"))
                .withMessageContaining("term " + newer.term());

        SyncedFiles.write(folder.record(), record.encoded());
        var _ = servers.open("a");
        servers.close("a");
        Files.writeString(folder.record(), "sluice raft record 1\nterm 1\n");
        assertThatThrownBy(() -> servers.open("a"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged");
    }

    @Test
    void theRecordSaysWhatTheServersVoted() throws Exception {
        proposedEverywhere();
        var records = records();
        while (records.stream().map(VoteRecord::term).distinct().count() > 1) {
            records = records(); // another election was under way
        }
        assertThat(records).allMatch(record -> record.segment() >= 0);
        assertThat(records.stream().filter(record -> !record.votedFor().isEmpty()))
                .hasSizeGreaterThanOrEqualTo(2);
        assertThat(Files.getPosixFilePermissions(servers.folder("a")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    private void proposedEverywhere() throws InterruptedException {
        servers.awaitLeader();
        servers.propose(1, 8);
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).contains(1L)));
    }

    private List<VoteRecord> records() throws IOException {
        var records = new ArrayList<VoteRecord>();
        for (var id : TestServers.PEERS) {
            var file = servers.files(id).record();
            records.add(VoteRecord.decode(file, Files.readAllBytes(file)));
        }
        return records;
    }

    /// Twice: a server that restored a snapshot while it runs also takes another.
    @Test
    void aFollowerThatMissedTheLogGetsASnapshotInChunks() throws Exception {
        var leader = servers.awaitLeader();
        var follower = TestServers.PEERS.stream()
                .filter(id -> !id.equals(leader))
                .findFirst()
                .orElseThrow();
        servers.propose(0, 8);
        var number = 1L;
        for (var round = 0; round < 2; round++) {
            servers.network.cut(follower);
            var before = servers.network.snapshotChunks.get();
            number = proposeAll(number, 4_500);
            servers.network.heal();
            var last = number - 1;
            eventually(() -> servers.numbers(follower).contains(last));
            assertThat(servers.network.snapshotChunks.get()).isGreaterThan(before);
            assertThat(servers.numbers(follower)).isEqualTo(servers.numbers(servers.awaitLeader()));
        }
        assertThat(servers.network.largest.get()).isLessThan(RatisConsensus.ENTRY_BYTES + (8 << 10));

        var expected = servers.numbers(leader);
        servers.closeAll();
        for (var id : TestServers.PEERS) {
            assertThat(snapshots(id)).as(id).hasSizeBetween(1, 2);
        }
        servers.openAll();
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).equals(expected)));
    }

    /// Of 4 KiB, so that the log has several segments.
    private long proposeAll(long first, int count) throws Exception {
        var next = new AtomicLong(first);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var work = new ArrayList<Future<?>>();
            for (var thread = 0; thread < 32; thread++) {
                work.add(threads.submit(() -> {
                    for (var n = next.getAndIncrement(); n < first + count; n = next.getAndIncrement()) {
                        servers.propose(n, 4 << 10);
                    }
                    return 0;
                }));
            }
            for (var each : work) {
                each.get();
            }
        }
        return first + count;
    }

    private List<String> snapshots(String id) throws IOException {
        return SyncedFiles.names(servers.files(id).snapshots()).stream()
                .filter(name -> name.matches("snapshot\\.\\d+_\\d+"))
                .toList();
    }

    @Test
    void theNewestValidSnapshotIsRestored() throws Exception {
        servers.awaitLeader();
        proposeAll(0, 2_500);
        eventually(() -> servers.numbers("a").size() == 2_500);
        var expected = servers.numbers("a");
        servers.closeAll();
        assertThat(snapshots("a")).hasSize(2);
        var folder = servers.files("a").snapshots();
        var newest = SnapshotFiles.newest(folder).orElseThrow();
        var file = folder.resolve(snapshots("a").stream()
                .filter(name -> name.endsWith("_" + newest))
                .findFirst()
                .orElseThrow());
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        // as a crash leaves it while Ratis puts a received snapshot in place
        Files.move(folder, folder.resolveSibling("sm.tmp20261101"));
        servers.openAll();
        eventually(() -> servers.numbers("a").equals(expected));
        assertThat(folder.resolve(file.getFileName() + ".corrupt")).exists();
    }

    @Test
    void aServerWithADamagedLogDoesNotStart() throws Exception {
        servers.awaitLeader();
        for (var number = 0; number < 20; number++) {
            servers.propose(number, 1 << 10);
        }
        eventually(() -> servers.numbers("a").size() == 20);
        servers.closeAll();
        var current = servers.files("a").current();
        var largest = SyncedFiles.names(current).stream() // another leader begins another one
                .filter(each -> each.startsWith("log_"))
                .map(current::resolve)
                .max(Comparator.comparingLong(each -> each.toFile().length()))
                .orElseThrow();
        var bytes = Files.readAllBytes(largest);
        bytes[10 << 10] ^= 1;
        Files.write(largest, bytes);
        assertThatThrownBy(() -> servers.open("a"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not start");
        servers.open("b");
        servers.open("c");
        servers.propose(20, 8);
    }

    @Test
    void theLargestEntryFitsAndALargerOneIsRefused() throws Exception {
        servers.awaitLeader();
        servers.propose(1, RatisConsensus.ENTRY_BYTES);
        servers.propose(2, RatisConsensus.ENTRY_BYTES);
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).equals(List.of(1L, 2L))));
        var leader = servers.server(servers.awaitLeader());
        assertThatThrownBy(() -> leader.propose(new byte[RatisConsensus.ENTRY_BYTES + 1], SHORT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ResourceLock(PROCESSORS)
    @Test
    void aLeaderIsFoundAtTheStartAndAfterALossWithin5Seconds() throws Exception {
        var start = System.nanoTime();
        var leader = servers.awaitLeader();
        assertThat(since(start)).isLessThan(Duration.ofSeconds(5));
        servers.network.cut(leader);
        var lost = System.nanoTime();
        servers.awaitLeader(leader);
        assertThat(since(lost)).isLessThan(Duration.ofSeconds(5));
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
