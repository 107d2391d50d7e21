package dev.sluice.targetnode.controller;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerHealth;
import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.peer.Controllers;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootClock;
import dev.sluice.targetnode.controller.files.StateDrives;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import dev.sluice.targetnode.controller.log.ControllerLog;
import dev.sluice.targetnode.controller.log.RaftLog;
import dev.sluice.targetnode.controller.log.RaftPeers;
import dev.sluice.targetnode.controller.raft.RaftHandler;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The controller of a node, with all that belongs to it: alone, or one of three.
public final class ControllerHost implements ControllerNode, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerHost.class);

    private final NodeId self;
    private final Controller controller;
    private final Optional<ControllerLog> seated;
    private final PeerClient peers;
    private final List<PeerAddress> others;
    private volatile ControllerService forOthers;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // in the order they are closed

    private ControllerHost(
            NodeId self,
            Controller controller,
            Optional<ControllerLog> seated,
            PeerClient peers,
            List<PeerAddress> others) {
        this.self = self;
        this.controller = controller;
        this.forOthers = controller;
        this.seated = seated;
        this.peers = peers;
        this.others = others;
        parts.addFirst(controller);
    }

    /// @param drives of the node, where the state is kept
    /// @param targets that the cluster is made of; the node is one of the controllers among them
    /// @param credentials of clients, as this node's settings say
    /// @throws IOException when the state cannot be read or written, or was made with other targets
    public static ControllerHost open(
            NodeId self,
            StateDrives drives,
            Collection<PeerAddress> targets,
            SortedMap<String, String> credentials,
            PeerClient peers)
            throws IOException {
        var members = targets.stream().map(PeerAddress::id).collect(Collectors.toSet());
        var controllers = Controllers.among(targets);
        if (controllers.size() == 1) {
            return new ControllerHost(
                    self, Controller.open(drives, members, credentials), Optional.empty(), peers, List.of());
        }
        var addresses = controllers.stream().collect(Collectors.toMap(PeerAddress::id, Function.identity()));
        var calls = new RaftPeers(peers, server -> Optional.ofNullable(addresses.get(RaftLog.node(server))));
        var log = new ControllerLog(self, new TreeSet<>(addresses.keySet()), drives, calls);
        var controller = new Controller(log, credentials, self, members, controllers.size(), new BootClock());
        var others =
                controllers.stream().filter(each -> !each.id().equals(self)).toList();
        var host = new ControllerHost(self, controller, Optional.of(log), peers, others);
        host.parts.addLast(calls);
        return host;
    }

    /// @param plane reaches the controller that leads
    public void start(Controllers plane) {
        forOthers = plane.passingOn(controller);
        seated.ifPresent(log -> {
            log.start();
            parts.addFirst(new ControllerStatuses(peers, controller, others));
        });
        controller.start(plane);
    }

    @Override
    public ControllerService service() {
        return controller;
    }

    @Override
    public ControllerService forOthers() {
        return forOthers;
    }

    @Override
    public RaftHandler raft() {
        return seated.flatMap(ControllerLog::handler)
                .orElseThrow(() -> new StoreException.Unavailable("this controller has no part of the log"));
    }

    @Override
    public ControllerStatus exchange(ControllerStatus word) {
        controller.heard(word);
        return controller.word();
    }

    /// Never blocks.
    public ControllerHealth health() {
        var seat = seated.map(ControllerLog::seat);
        if (seat.isEmpty()) {
            return new ControllerHealth(true, self.value(), "");
        }
        var leader = seat.get().leader().map(NodeId::value).orElse("");
        var why = seated.flatMap(ControllerLog::trouble).orElse(leader.isEmpty() ? "it hears no leader" : "");
        return new ControllerHealth(seat.get().leads(), leader, why);
    }

    /// Whether a start would need what this drive has of the state. Never blocks.
    public boolean isKeptOn(String drive) {
        return controller.isKeptOn(drive);
    }

    /// Nodes that ask for newer states are not waited for.
    public void endWatches() {
        controller.endWatches();
    }

    @Override
    public void close() {
        for (var part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("closing {}", part.getClass().getSimpleName(), e);
            }
        }
    }
}
