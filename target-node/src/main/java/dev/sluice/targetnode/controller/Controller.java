package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.Beaten;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one controller: applies commands one after the other, each durable on its drives before anyone sees it.
///
/// A new cluster is published only when every target it is made of has joined, because slots are shared out by the
/// targets' weights, and an object written before the last one joined would be looked for elsewhere after.
public final class Controller implements ControlPlane {
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    private final StateFiles files;
    private final StateWatch published = new StateWatch();
    private ClusterState state;
    private boolean broken;

    private Controller(StateFiles files, ClusterState state) {
        this.files = files;
        this.state = state;
    }

    /// @param drives where the state is kept
    /// @param members the ids of the targets that this cluster is made of
    /// @throws IOException when the state cannot be read, or was made with other targets
    public static Controller open(List<Path> drives, Set<NodeId> members, SortedMap<String, String> credentials)
            throws IOException {
        var files = new StateFiles(drives);
        var loaded = files.load();
        var wanted = new TreeSet<>(members);
        if (loaded.isPresent() && !loaded.get().members().equals(wanted)) {
            throw new IOException("the cluster was made with the targets %s, but the configuration names %s"
                    .formatted(loaded.get().members(), wanted));
        }
        var state = loaded.orElseGet(() -> ClusterState.create(UUID.randomUUID().toString(), wanted, credentials));
        var controller = new Controller(files, state);
        controller.adopt(state.withCredentials(credentials));
        return controller;
    }

    @Override
    public ClusterView view() {
        return published.current();
    }

    @Override
    public CompletableFuture<ClusterState> watch(long version) {
        return published.watch(version);
    }

    /// Other nodes keep a watch open all the time; a node that stops does not wait for it to end.
    public void endWatches() {
        published.end();
    }

    @Override
    public synchronized ClusterState apply(Command command) {
        if (broken) {
            throw new StoreException.Unavailable(
                    "The controller could not write its state; restart it after a look at" + " its log");
        }
        var next = state.apply(command);
        if (next.version() != state.version()) {
            try {
                adopt(next);
            } catch (IOException e) {
                broken = true; // some copies may be newer than what we acknowledged: only a restart can tell
                LOG.error("cannot write the cluster's state; no more changes until a restart", e);
                throw new StoreException.DriveFailed("The controller's drive failed; the outcome is unknown", e);
            }
        }
        return state;
    }

    @Override
    public ClusterState confirm() {
        return current();
    }

    @Override
    public Beaten beat(NodeId target, int incarnation) {
        return new Beaten(true, current().version());
    }

    private void adopt(ClusterState next) throws IOException {
        if (next.version() > 0) {
            files.save(next);
        }
        state = next;
        if (next.formed()) {
            published.publish(next);
        }
    }
}
