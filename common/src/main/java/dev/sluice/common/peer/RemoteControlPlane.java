package dev.sluice.common.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.Beat;
import dev.sluice.common.cluster.Beaten;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.LoggedChange;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
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
    private static final Duration BEAT = Duration.ofMillis(500);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

    private final PeerClient peers;
    private final PeerAddress controller;
    private final SealedSecrets secrets;
    private final boolean verifies;
    private final PeerClient beats;
    private final StateWatch published = new StateWatch();
    private final Thread watcher;
    private volatile boolean closed;

    /// @param verifies whether this node verifies clients' signatures: then it asks for their keys too
    public RemoteControlPlane(PeerClient peers, PeerAddress controller, SealedSecrets secrets, boolean verifies) {
        this.peers = peers;
        this.controller = controller;
        this.secrets = secrets;
        this.verifies = verifies;
        this.beats = peers.apart("beats");
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
        var query = "after=%d&verifies=%s".formatted(known(), verifies);
        return take(peers.post(controller, PeerPaths.COMMAND, query, ClusterJson.write(command), CALL));
    }

    @Override
    public ClusterState confirm() {
        return poll(true, CALL).or(published::newest).orElseThrow();
    }

    @Override
    public Beaten beat(Beat beat) {
        var answer = beats.get(controller, PeerPaths.BEAT, BeatQuery.of(beat), BEAT);
        try {
            return ClusterJson.read(answer, Beaten.class);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        watcher.interrupt();
        beats.close();
    }

    private void watchForEver() {
        var complained = false;
        while (!closed) {
            try {
                poll(false, POLL.plus(CALL));
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

    private long known() {
        return published.newest().map(ClusterState::version).orElse(-1L);
    }

    /// Empty when there is nothing newer.
    private Optional<ClusterState> poll(boolean now, Duration timeout) {
        var query = "after=%d&now=%s&verifies=%s".formatted(known(), now, verifies);
        var answer = peers.get(controller, PeerPaths.STATE, query, timeout);
        return answer.length == 0 ? Optional.empty() : Optional.of(take(answer));
    }

    /// One after the other, so that each row which did not change stays the same object.
    private synchronized ClusterState take(byte[] answer) {
        try {
            return switch (SentState.open(answer, secrets, known())) {
                case StateUpdate.Snapshot(var state) ->
                    publish(published.newest().map(state::sharing).orElse(state));
                case StateUpdate.Changes(var changes) -> publish(changed(changes));
            };
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    private ClusterState changed(List<LoggedChange> changes) {
        var state = published.newest().orElseThrow();
        for (var logged : changes) {
            var change = logged.change();
            long version = state.version();
            state = state.apply(change)
                    .orElseThrow(() -> new StoreException.Unavailable(
                            "the controller sent the change after %d, not %d".formatted(change.ifVersion(), version)));
        }
        return state;
    }

    /// The newest that this node has then. A state is told to others only when all targets have joined.
    private ClusterState publish(ClusterState state) {
        if (!state.formed()) {
            return state;
        }
        published.publish(state);
        return published.newest().orElseThrow();
    }

    private static StoreException invalid(IOException e) {
        return new StoreException.Unavailable("invalid response from the controller: " + e.getMessage());
    }
}
