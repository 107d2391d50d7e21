package dev.sluice.targetnode.controller.raft;

import static dev.sluice.testing.Eventually.eventually;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Three servers in one JVM, each with a folder.
final class TestServers implements AutoCloseable {
    static final Set<String> PEERS = Set.of("a", "b", "c");
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Path root;
    private final LogId log;
    final TestNetwork network;
    private final Map<String, RatisConsensus> open = new ConcurrentHashMap<>();
    private final Map<String, NumberMachine> machines = new ConcurrentHashMap<>();

    TestServers(Path root) {
        this(root, LogId.random(), new TestNetwork());
    }

    TestServers(Path root, LogId log, TestNetwork network) {
        this.root = root;
        this.log = log;
        this.network = network;
    }

    Path folder(String id) {
        return root.resolve(id);
    }

    RaftFolder files(String id) {
        return new RaftFolder(folder(id), log);
    }

    RatisConsensus open(String id) throws IOException {
        return open(id, PEERS);
    }

    RatisConsensus open(String id, Set<String> founders) throws IOException {
        var machine = new NumberMachine();
        var server = new RatisConsensus(folder(id), log, id, founders, machine, network.of(id));
        machines.put(id, machine);
        open.put(id, server);
        network.add(id, server.handler());
        return server;
    }

    void openAll() throws IOException {
        for (var id : PEERS) {
            open(id);
        }
    }

    void close(String id) {
        network.remove(id);
        Objects.requireNonNull(open.remove(id)).close();
    }

    void closeAll() {
        List.copyOf(open.keySet()).forEach(this::close);
    }

    void closeAllBut(String... ids) {
        open.keySet().stream().filter(id -> !List.of(ids).contains(id)).toList().forEach(this::close);
    }

    RatisConsensus server(String id) {
        return Objects.requireNonNull(open.get(id));
    }

    List<Long> numbers(String id) {
        return Objects.requireNonNull(machines.get(id)).numbers();
    }

    Optional<String> leader() {
        return open.entrySet().stream()
                .filter(entry -> entry.getValue().isLeader())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /// Other than `not`, which may still think that it leads.
    String awaitLeader(String... not) throws InterruptedException {
        var found = new String[1];
        eventually(() -> open.entrySet().stream()
                .filter(entry -> !List.of(not).contains(entry.getKey()))
                .filter(entry -> entry.getValue().isLeader())
                .peek(entry -> found[0] = entry.getKey())
                .findFirst()
                .isPresent());
        return found[0];
    }

    /// Until it is acknowledged, by whichever server leads.
    void propose(long number, int bytes) throws InterruptedException {
        while (true) {
            var leader = open.get(leader().orElse(""));
            try {
                if (leader != null) {
                    leader.propose(NumberMachine.entry(number, bytes), PATIENCE);
                    return;
                }
                pause();
            } catch (ConsensusException _) {
                pause();
            }
        }
    }

    /// Between two looks; the class's time-out ends what never comes.
    private static void pause() throws InterruptedException {
        Thread.sleep(5);
    }

    @Override
    public void close() {
        closeAll();
    }
}
