package dev.sluice.targetnode.controller.log;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.files.StateDrive;
import dev.sluice.targetnode.controller.files.StateDrives;
import dev.sluice.targetnode.controller.raft.RaftCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/// Three controllers in one JVM, each with two drives. Their calls and messages go from one to the other directly.
final class SeatNodes implements AutoCloseable {
    static final NodeId ONE = new NodeId("target001");
    static final NodeId TWO = new NodeId("target002");
    static final NodeId THREE = new NodeId("target003");
    static final List<NodeId> ALL = List.of(ONE, TWO, THREE);

    private final Path root;
    private final Map<NodeId, ControllerLog> open = new ConcurrentSkipListMap<>();
    private final Map<String, Boolean> drives = new ConcurrentHashMap<>(); // those that are not kept, or not there
    private final Set<NodeId> silent = ConcurrentHashMap.newKeySet();
    private final List<SeatNodes> alsoTold = new CopyOnWriteArrayList<>();
    private final List<Throwable> bugs = new CopyOnWriteArrayList<>();
    private final AtomicLong ticks = new AtomicLong();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

    SeatNodes(Path root) throws IOException {
        this.root = root;
        for (var node : ALL) {
            for (var drive : List.of("d0", "d1")) {
                Files.createDirectories(drive(node, drive).resolve(".sluice"));
            }
        }
        var _ = clock.scheduleWithFixedDelay(this::tick, 0, 20, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            say();
        } catch (RuntimeException | Error bug) {
            bugs.add(bug);
        }
    }

    private void say() {
        open.forEach((from, speaker) -> {
            var seat = speaker.seat();
            if (!silent.contains(from)) {
                open.values().forEach(log -> log.heard(from, seat));
                alsoTold.forEach(other -> other.open.values().forEach(log -> log.heard(from, seat)));
            }
        });
        ticks.incrementAndGet();
    }

    /// For two seconds.
    void staysSo(BooleanSupplier holds) {
        long end = ticks.get() + 100;
        eventually(() -> {
            assertThat(holds.getAsBoolean()).as("it stays so").isTrue();
            return ticks.get() >= end;
        });
    }

    /// So much time.
    void pass(Duration time) {
        long end = ticks.get() + time.toMillis() / 20;
        eventually(() -> ticks.get() >= end);
    }

    // ---- drives

    Path drive(NodeId node, String drive) {
        return root.resolve(node.value()).resolve(drive);
    }

    Path raft(NodeId node, String drive) {
        return drive(node, drive).resolve(".sluice/control/raft");
    }

    /// The drive is not there from now on.
    void unplug(NodeId node, String drive) {
        drives.put(id(node, drive), false);
    }

    /// The drive is to go.
    void drain(NodeId node, String drive) {
        drives.put(id(node, drive), true);
    }

    void plug(NodeId node, String drive) {
        drives.remove(id(node, drive));
    }

    static String id(NodeId node, String drive) {
        return node + "-" + drive;
    }

    StateDrives drives(NodeId node) {
        return new StateDrives() {
            @Override
            public List<StateDrive> now() {
                var now = new ArrayList<StateDrive>();
                for (var name : List.of("d0", "d1")) {
                    var id = id(node, name);
                    now.add(new StateDrive(id, drive(node, name), !drives.getOrDefault(id, false), () -> {
                        if (!drives.getOrDefault(id, true)) {
                            throw new StoreException.Unavailable(id + " is not there");
                        }
                    }));
                }
                return now;
            }

            @Override
            public Set<String> lost() {
                return Set.of();
            }
        };
    }

    /// As a person does, or a new drive in the old one's place.
    void empty(NodeId node) {
        for (var drive : List.of("d0", "d1")) {
            delete(drive(node, drive).resolve(".sluice/control"));
        }
    }

    static void delete(Path path) {
        try {
            if (Files.exists(path)) {
                try (var all = Files.walk(path)) {
                    for (var each : all.toList().reversed()) {
                        Files.delete(each);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- controllers

    void open(NodeId... nodes) {
        for (var node : nodes) {
            var log = new ControllerLog(node, new TreeSet<>(ALL), drives(node), calls(node));
            open.put(node, log);
            log.start();
        }
    }

    void close(NodeId... nodes) {
        for (var node : nodes) {
            Objects.requireNonNull(open.remove(node)).close();
        }
    }

    /// The controllers of another cluster are told what these say, too.
    void alsoTell(SeatNodes other) {
        alsoTold.add(other);
    }

    /// The others are not told anything by this one.
    void silence(NodeId node) {
        silent.add(node);
    }

    void speak(NodeId node) {
        silent.remove(node);
    }

    private RaftCalls calls(NodeId from) {
        return new DirectCalls(peer -> {
            var to = Optional.ofNullable(open.get(RaftLog.node(peer))).flatMap(ControllerLog::handler);
            if (!open.containsKey(from) || to.isEmpty()) {
                throw new IOException(peer + " is down");
            }
            return to.get();
        });
    }

    ControllerLog log(NodeId node) {
        return Objects.requireNonNull(open.get(node));
    }

    Optional<String> server(NodeId node) {
        return log(node).seat().server();
    }

    String awaitServer(NodeId node) {
        eventually(() -> server(node).isPresent());
        return server(node).orElseThrow();
    }

    ControllerLog leader() {
        var found = new ArrayList<ControllerLog>();
        eventually(() -> open.values().stream()
                .filter(log -> log.seat().leads())
                .peek(found::add)
                .findFirst()
                .isPresent());
        return found.getFirst();
    }

    /// Until it is logged, by whichever controller leads.
    void propose(LogEntry entry) {
        eventually(() -> {
            try {
                var _ = leader().propose(entry);
                return true;
            } catch (StoreException.Unavailable | StoreException.NotLeader again) {
                return false;
            }
        });
    }

    /// Until the open controllers are the log's servers, and nobody else is, and all have the same state.
    ClusterState awaitAll() {
        var wanted = new TreeSet<NodeId>(open.keySet());
        eventually(() -> {
            var servers = new TreeSet<String>();
            open.values().forEach(log -> log.seat().server().ifPresent(servers::add));
            return servers.size() == wanted.size()
                    && open.values().stream().allMatch(log -> log.members().equals(servers))
                    && open.values().stream()
                                    .map(ControllerLog::snapshot)
                                    .distinct()
                                    .count()
                            == 1;
        });
        return leader().snapshot().orElseThrow();
    }

    @Override
    public void close() {
        clock.close();
        open.values().forEach(ControllerLog::close);
        assertThat(bugs).isEmpty();
    }
}
