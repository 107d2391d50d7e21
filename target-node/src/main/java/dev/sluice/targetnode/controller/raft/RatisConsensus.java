package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One server of a Raft log, by Apache Ratis. An entry that {@link #propose} returned for is on the drives of
/// a majority and survives, in its order, whatever a minority does. The servers of a log never change.
///
/// Ratis is kept within bounds: its bytes travel by {@link RaftCalls}, {@link DurableState} makes them
/// durable first, {@link RaftFolder} refuses a folder that lost something, and {@link Confirmations} makes
/// reads linearizable.
public final class RatisConsensus implements AutoCloseable {
    /// The largest entry.
    public static final int ENTRY_BYTES = RatisSettings.ENTRY_BYTES;

    private static final Logger LOG = LoggerFactory.getLogger(RatisConsensus.class);

    private final String self;
    private final int others;
    private final RaftFolder folder;
    private final DurableState durable;
    private final OutgoingCalls outgoing;
    private final LogMachine machine;
    private final RaftServer server;
    private final RaftServer.Division division;
    private final IncomingCalls incoming;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong callIds = new AtomicLong();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /// Starts the server; it takes part when this returns.
    ///
    /// @throws Amnesia when the folder has less than it once had
    /// @throws LostVote when the folder is older than a vote that left this server
    public RatisConsensus(Path folder, String self, Set<String> peers, Machine machine, RaftCalls calls)
            throws IOException {
        if (!peers.contains(self) || peers.stream().anyMatch(peer -> !peer.matches("[A-Za-z0-9._-]+"))) {
            throw new IllegalArgumentException("peers " + peers + " of " + self);
        }
        this.self = self;
        this.others = peers.size() / 2;
        this.folder = new RaftFolder(folder);
        this.durable = new DurableState(this.folder, this.folder.open());
        this.outgoing = new OutgoingCalls(calls, durable);
        this.machine = new LogMachine(machine, durable);
        this.server = build(peers);
        try {
            server.start();
            durable.settle();
            this.division = server.getDivision(this.folder.group());
            this.incoming = new IncomingCalls(server, durable);
        } catch (IOException | CompletionException | IllegalStateException e) {
            close();
            throw new IOException("the log in " + folder + " does not start: " + e.getMessage(), e);
        }
    }

    private RaftServer build(Set<String> peers) throws IOException {
        var members = peers.stream()
                .map(peer -> RaftPeer.newBuilder().setId(peer).build())
                .toList();
        return RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(self))
                .setGroup(RaftGroup.valueOf(folder.group(), members))
                .setOption(RaftStorage.StartupOption.RECOVER)
                .setStateMachine(machine)
                .setProperties(RatisSettings.of(folder))
                .setParameters(OwnCallsRpc.parameters(outgoing))
                .build();
    }

    /// Where a transport delivers the calls of other servers.
    public RaftHandler handler() {
        return incoming;
    }

    /// The leader as far as this server knows.
    public Optional<String> leader() {
        return Optional.ofNullable(division.getInfo().getLeaderId()).map(RaftPeerId::toString);
    }

    /// Whether it is the leader and ready to take entries, as far as it knows: see {@link #confirm}.
    public boolean isLeader() {
        return division.getInfo().isLeader() && division.getInfo().isLeaderReady();
    }

    /// Returns when the entry is committed, and applied on this server, which must be the leader. An
    /// interrupt leaves the outcome unknown.
    public void propose(byte[] entry, Duration patience) throws ConsensusException, InterruptedException {
        if (entry.length > ENTRY_BYTES) {
            throw new IllegalArgumentException("an entry of " + entry.length + " bytes; at most " + ENTRY_BYTES);
        }
        var proposal = new Proposal(entry);
        try {
            var reply = submit(proposal).get(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (!reply.isSuccess()) {
                throw failure(proposal, Optional.ofNullable(reply.getException()));
            }
        } catch (TimeoutException _) {
            throw new ConsensusException.OutcomeUnknown("not committed within " + patience.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw failure(proposal, Optional.ofNullable(e.getCause()));
        }
    }

    /// Ratis' method blocks now and then, so it has a thread of its own.
    private CompletableFuture<RaftClientReply> submit(Proposal proposal) throws ConsensusException {
        var request = RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(RaftPeerId.valueOf(self))
                .setGroupId(folder.group())
                .setCallId(callIds.incrementAndGet())
                .setMessage(proposal)
                .setType(RaftClientRequest.writeRequestType())
                .build();
        var reply = new CompletableFuture<CompletableFuture<RaftClientReply>>();
        try {
            threads.execute(() -> {
                try {
                    reply.complete(server.submitClientRequestAsync(request));
                } catch (RuntimeException | IOException e) {
                    reply.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException _) {
            throw new ConsensusException.Refused(self + " is closed");
        }
        return reply.thenCompose(future -> future);
    }

    private ConsensusException failure(Proposal proposal, Optional<? extends Throwable> cause) {
        var why = cause.map(Throwable::toString).orElse("no reason given");
        if (proposal.mayBeInTheLog()) {
            return new ConsensusException.OutcomeUnknown(
                    "appended, but " + self + " could not see it committed: " + why);
        }
        return switch (cause.orElse(null)) {
            case NotLeaderException e -> new ConsensusException.NotLeader(self, suggested(e));
            case LeaderNotReadyException _, LeaderSteppingDownException _ ->
                new ConsensusException.NotLeader(self, Optional.empty());
            case null, default -> new ConsensusException.Refused(why);
        };
    }

    private static Optional<String> suggested(NotLeaderException e) {
        return Optional.ofNullable(e.getSuggestedLeader())
                .map(peer -> peer.getId().toString());
    }

    /// Returns when this server, the leader, has applied every entry that was committed before the call: what
    /// its machine says then is not older than the call.
    public void confirm(Duration patience) throws ConsensusException, InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        var term = division.getInfo().getCurrentTerm();
        var ready = isLeader();
        var committed = division.getRaftLog().getLastCommittedIndex();
        if (!ready || division.getInfo().getCurrentTerm() != term) {
            throw new ConsensusException.NotLeader(self, leader().filter(id -> !id.equals(self)));
        }
        if (!outgoing.confirmations().await(others, term, patience)) {
            throw new ConsensusException.NotLeader(self, Optional.empty());
        }
        if (!machine.awaitApplied(committed, Duration.ofNanos(deadline - System.nanoTime()))) {
            throw new ConsensusException.OutcomeUnknown("entry " + committed + " was not applied in time");
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.warn("{} did not close well", self, e);
        }
        var _ = threads.shutdownNow();
    }
}
