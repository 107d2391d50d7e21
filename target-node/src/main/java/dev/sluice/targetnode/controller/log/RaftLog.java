package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.raft.ConsensusException;
import dev.sluice.targetnode.controller.raft.LogId;
import dev.sluice.targetnode.controller.raft.RaftCalls;
import dev.sluice.targetnode.controller.raft.RaftHandler;
import dev.sluice.targetnode.controller.raft.RatisConsensus;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The log of several controllers: an entry counts when the drives of a majority have it. Entries are proposed by the
/// leader only.
public final class RaftLog implements Consensus {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration PATIENCE_WITH_MEMBERS = Duration.ofSeconds(30);

    private final AgreedState state = new AgreedState();
    private final RatisConsensus raft;
    private final LogId id;
    private final String drive;
    private final String self;
    private final SecureRandom numbers = new SecureRandom();

    /// @param folder on the drive that keeps this controller's part of the log
    /// @param id which log the folder is of
    /// @param founders those that a new log begins with; none for a controller that is to be added
    /// @throws IOException with one line for the operator, when the folder cannot be used
    public RaftLog(Path folder, LogId id, String drive, String self, Set<String> founders, RaftCalls calls)
            throws IOException {
        this.id = id;
        this.drive = drive;
        this.self = self;
        this.raft = new RatisConsensus(folder, id, self, founders, state, calls);
    }

    /// Where calls of other controllers are delivered.
    public RaftHandler handler() {
        return raft.handler();
    }

    /// As far as this controller knows.
    public Optional<String> leader() {
        return raft.leader();
    }

    public boolean isLeader() {
        return raft.isLeader();
    }

    /// What keeps this controller from leading, for a person.
    Optional<String> trouble() {
        return raft.trouble();
    }

    /// Adds a controller, which has caught up when this returns. To be asked of the leader; it can be asked again.
    ///
    /// @throws StoreException.Unavailable when it is not known whether it was added, too
    public void add(String peer) {
        var next = new TreeSet<>(raft.members());
        next.add(peer);
        change(next);
    }

    /// The same the other way.
    public void remove(String peer) {
        var next = new TreeSet<>(raft.members());
        next.remove(peer);
        change(next);
    }

    /// Has another one lead. To be asked of the leader.
    ///
    /// @throws StoreException.Unavailable when it is not known whether it does, too
    public void handOver(String peer, Duration patience) {
        asked(() -> raft.handOver(peer, patience));
    }

    /// Whether it takes part. It ends by itself when its drive fails, or when it was removed.
    boolean isOpen() {
        return raft.isOpen();
    }

    /// The servers of the log; none before it was added.
    public Set<String> members() {
        return raft.members();
    }

    /// Whether a change of the servers is on its way.
    boolean isChanging() {
        return raft.isChanging();
    }

    private void change(Set<String> next) {
        asked(() -> raft.changeMembers(next, PATIENCE_WITH_MEMBERS));
    }

    /// When it returns, [#snapshot] is as new as anything that was acknowledged before the call.
    ///
    /// @throws StoreException.Unavailable when this controller is not the leader, or cannot reach a majority
    public void confirm() {
        asked(() -> raft.confirm(PATIENCE));
    }

    @Override
    public LogServer seat() {
        return new LogServer(
                Optional.of(self),
                Optional.of(id),
                LogServer.Holding.SOME,
                leader().map(RaftLog::node),
                raft.term(),
                isLeader());
    }

    /// A server's id is its node's, or begins with that and a dot.
    public static NodeId node(String server) {
        int dot = server.lastIndexOf('.');
        return new NodeId(dot < 0 ? server : server.substring(0, dot));
    }

    @Override
    public Optional<ClusterState> snapshot() {
        return state.newest();
    }

    @Override
    public void follow(Follower follower) {
        state.follow(follower);
    }

    /// A leader that was deposed may not know it.
    @Override
    public void requireUsable() {
        confirm();
    }

    @Override
    public synchronized boolean propose(LogEntry entry) {
        try {
            boolean effect = false;
            for (var part : EntryParts.of(entry, numbers.nextLong(), RatisConsensus.ENTRY_BYTES)) {
                effect = AgreedState.hadEffect(raft.propose(part, PATIENCE));
            }
            return effect;
        } catch (ConsensusException e) {
            throw new StoreException.Unavailable(
                    e instanceof ConsensusException.OutcomeUnknown
                            ? "it is not known whether the change is logged: " + e.getMessage()
                            : Objects.requireNonNull(e.getMessage()));
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    private interface Question {
        void ask() throws ConsensusException, InterruptedException;
    }

    private static void asked(Question question) {
        try {
            question.ask();
        } catch (ConsensusException e) {
            throw new StoreException.Unavailable(Objects.requireNonNull(e.getMessage()));
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    private static StoreException interrupted() {
        Thread.currentThread().interrupt();
        return new StoreException.Unavailable("the controller stops");
    }

    @Override
    public boolean isKeptOn(String id) {
        return drive.equals(id);
    }

    @Override
    public void close() {
        raft.close();
    }
}
