package dev.sluice.common.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The control plane as seen from a node that is not the controller: a long poll keeps a copy of the state, changes are
/// sent to the controller.
public final class RemoteControlPlane implements ControlPlane, AutoCloseable {

    /// How long the controller may hold a poll open when nothing changes.
    public static final Duration POLL = Duration.ofSeconds(20);

    private static final Logger LOG = LoggerFactory.getLogger(RemoteControlPlane.class);
    private static final Duration CALL = Duration.ofSeconds(10);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

    private final PeerClient peers;
    private final PeerAddress controller;
    private final SealedSecrets secrets;
    private final boolean verifies;
    private final StateWatch published = new StateWatch();
    private final Thread watcher;
    private volatile boolean closed;

    /// @param verifies whether this node verifies clients' signatures: then it asks for their keys too
    public RemoteControlPlane(PeerClient peers, PeerAddress controller, SealedSecrets secrets, boolean verifies) {
        this.peers = peers;
        this.controller = controller;
        this.secrets = secrets;
        this.verifies = verifies;
        this.watcher = Thread.ofVirtual().name("watch-controller").start(this::watchForEver);
    }

    @Override
    public ClusterView view() {
        return published.current();
    }

    @Override
    public CompletableFuture<ClusterState> watch(long version) {
        return published.watch(version);
    }

    @Override
    public ClusterState apply(Command command) {
        var answer =
                peers.post(controller, PeerPaths.COMMAND, "verifies=" + verifies, ClusterJson.write(command), CALL);
        return take(answer);
    }

    @Override
    public ClusterState confirm() {
        var known = published.newest();
        var after = "%d&now=true".formatted(known.map(ClusterState::version).orElse(-1L));
        return poll(after, CALL).map(this::publish).or(() -> known).orElseThrow();
    }

    @Override
    public void close() {
        closed = true;
        watcher.interrupt();
    }

    private void watchForEver() {
        var complained = false;
        while (!closed) {
            try {
                long known = published.newest().map(ClusterState::version).orElse(-1L);
                poll(Long.toString(known), POLL.plus(CALL)).ifPresent(this::publish);
                complained = false;
            } catch (StoreException e) {
                if (!complained && !closed) {
                    LOG.warn("no word from the controller at {}: {}", controller.url(), e.getMessage());
                    complained = true; // once for each outage
                }
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE.toNanos());
            }
        }
    }

    private Optional<ClusterState> poll(String after, Duration timeout) {
        var json = peers.get(controller, PeerPaths.STATE, "after=%s&verifies=%s".formatted(after, verifies), timeout);
        return json.length == 0 ? Optional.empty() : Optional.of(read(json));
    }

    private ClusterState take(byte[] json) {
        var state = read(json);
        return state.formed() ? publish(state) : state;
    }

    private ClusterState publish(ClusterState state) {
        published.publish(state);
        return state;
    }

    private ClusterState read(byte[] json) {
        try {
            return ClusterJson.read(json, SentState.class).opened(secrets);
        } catch (IOException e) {
            throw new StoreException.Unavailable("invalid response from the controller: " + e.getMessage());
        }
    }
}
