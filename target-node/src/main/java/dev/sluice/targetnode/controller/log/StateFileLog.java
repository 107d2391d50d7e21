package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.files.StateDrives;
import dev.sluice.targetnode.controller.files.StateFiles;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The log of a lone controller. It keeps no entries, only the state after the newest one, on the drives of its node.
public final class StateFileLog implements Consensus {
    private static final Logger LOG = LoggerFactory.getLogger(StateFileLog.class);

    private final StateFiles files;
    private final NodeId self;
    private volatile Optional<ClusterState> state;
    private Follower follower = (_, _) -> {};
    private boolean broken;

    private StateFileLog(StateFiles files, NodeId self, Optional<ClusterState> state) {
        this.files = files;
        this.self = self;
        this.state = state;
    }

    /// The first entry after that has to be the controller's next boot number: it orders the copies on the drives.
    ///
    /// @throws IOException with one line for the operator, when a drive that cannot be read may have a newer state
    public static StateFileLog open(StateDrives drives, NodeId self) throws IOException {
        var files = new StateFiles(drives, self);
        var loaded = files.load();
        return new StateFileLog(files, self, loaded.map(StateFileLog::withoutKeys));
    }

    /// Earlier builds wrote clients' keys into the state.
    private static ClusterState withoutKeys(ClusterState state) {
        return state.carrying(new TreeMap<>());
    }

    @Override
    public LogServer seat() {
        return new LogServer(Optional.empty(), Optional.empty(), LogServer.Holding.SOME, Optional.of(self), 0, true);
    }

    @Override
    public Optional<ClusterState> snapshot() {
        return state;
    }

    @Override
    public synchronized void follow(Follower next) {
        follower = next;
        state.ifPresent(now -> follower.applied(List.of(), now));
    }

    @Override
    public synchronized void requireUsable() {
        if (broken) {
            throw new StoreException.Unavailable(
                    "The controller could not write its state; restart it after a look at its log");
        }
    }

    @Override
    public synchronized boolean propose(LogEntry entry) {
        requireUsable();
        var next = entry.appliedTo(state);
        if (next.isEmpty()) {
            return false;
        }
        save(next.get());
        state = next;
        follower.applied(entry.changes(), next.get());
        return true;
    }

    private void save(ClusterState next) {
        try {
            files.save(next);
        } catch (IOException e) {
            broken = true; // some copies may be newer than what was acknowledged: only a restart can tell
            LOG.error("cannot write the cluster's state; no more changes until a restart", e);
            throw new StoreException.DriveFailed("The controller's drive failed; the outcome is unknown", e);
        }
    }

    /// Drives come back, and leave, without a change of the state.
    @Override
    public synchronized void tend() {
        if (!broken && state.isPresent() && files.isDue()) {
            save(state.get());
        }
    }

    @Override
    public boolean isKeptOn(String drive) {
        return files.isKeptOn(drive);
    }
}
