package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One server of a Raft log, by Apache Ratis. An entry that {@link #propose} returned for is on the drives of a
/// majority and survives, in its order, whatever a minority does. A log begins with its founders; the leader adds and
/// removes servers, one at a time.
///
/// Ratis is kept within bounds: its bytes travel by {@link RaftCalls}, {@link DurableState} makes them
/// durable first, {@link RaftFolder} refuses a folder that lost something, and {@link Confirmations} makes
/// reads linearizable.
public final class RatisConsensus implements AutoCloseable {
    /// The largest entry.
    public static final int ENTRY_BYTES = RatisSettings.ENTRY_BYTES;

    /// In production. Tests that share a machine with many others set more, by the property sluice.election_millis.
    static final int ELECTION_MILLIS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(RatisConsensus.class);

    private final String self;
    private final LogId log;
    private final DurableState durable;
    private final LostTail lostTail;
    private final OutgoingCalls outgoing;
    private final LogMachine machine;
    private final RaftServer server;
    private final RaftServer.Division division;
    private final IncomingCalls incoming;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong callIds = new AtomicLong();
    private final HandOverWatch handOvers = new HandOverWatch(System::nanoTime);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /// Starts the server; it takes part when this returns.
    ///
    /// @param log that a folder which has one must be of
    /// @param founders the servers that a new log begins with, this one too. None: it has nothing, and votes for
    ///     nobody, until the leader of a log adds it. A folder that was part of a log goes on with that one
    /// @throws LostLogException when the folder has less than it once had
    /// @throws LostVote when the folder is older than a vote that left this server
    public RatisConsensus(Path folder, LogId log, String self, Set<String> founders, Machine machine, RaftCalls calls)
            throws IOException {
        this(
                folder,
                log,
                self,
                founders,
                machine,
                calls,
                Integer.getInteger("sluice.election_millis", ELECTION_MILLIS));
    }

    /// @param electionMillis how long a follower waits for its leader; up to twice as long
    RatisConsensus(
            Path folder,
            LogId log,
            String self,
            Set<String> founders,
            Machine machine,
            RaftCalls calls,
            int electionMillis)
            throws IOException {
        if (!(founders.isEmpty() || founders.contains(self))) {
            throw new IllegalArgumentException(self + " is not one of the founders " + founders);
        }
        this.self = self;
        this.log = log;
        var files = new RaftFolder(folder, log);
        this.durable = new DurableState(files, files.open());
        this.lostTail = files.lostTail();
        this.outgoing = new OutgoingCalls(calls, durable, lostTail);
        this.machine = new LogMachine(machine, durable);
        this.server = build(files, founders, electionMillis);
        try {
            server.start();
            durable.settle(0);
            this.division = server.getDivision(log.group());
            var entries = division.getRaftLog();
            this.incoming = new IncomingCalls(
                    self,
                    server,
                    durable,
                    lostTail,
                    () -> Optional.ofNullable(entries.getTermIndex(entries.getFlushIndex()))
                            .orElseGet(this.machine::getLastAppliedTermIndex)); // of a snapshot
        } catch (IOException | RuntimeException e) {
            close();
            throw new IOException("the log in " + folder + " does not start: " + e.getMessage(), e);
        }
    }

    private static List<RaftPeer> peers(Collection<String> ids) {
        return ids.stream().map(RatisConsensus::peer).toList();
    }

    private static RaftPeer peer(String id) {
        if (!id.matches("[A-Za-z0-9._-]+")) {
            throw new IllegalArgumentException("not the id of a server: " + id);
        }
        return RaftPeer.newBuilder().setId(id).build();
    }

    private RaftServer build(RaftFolder files, Set<String> founders, int electionMillis) throws IOException {
        return RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(self))
                .setGroup(RaftGroup.valueOf(log.group(), peers(durable.isConfigured() ? Set.of() : founders)))
                .setOption(RaftStorage.StartupOption.RECOVER)
                .setStateMachine(machine)
                .setProperties(RatisSettings.of(files, electionMillis))
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

    /// The lock that Ratis holds while this server votes, or steps down.
    Object monitor() {
        return division;
    }

    /// What keeps this server from leading, for a person.
    public Optional<String> trouble() {
        return lostTail.trouble();
    }

    /// The newest term that this server knows.
    public long term() {
        return division.getInfo().getCurrentTerm();
    }

    /// Whether it is the leader and ready to take entries, as far as it knows: see {@link #confirm}.
    public boolean isLeader() {
        return division.getInfo().isLeader() && division.getInfo().isLeaderReady();
    }

    /// Returns when the entry is committed, and applied on this server, which must be the leader. An
    /// interrupt leaves the outcome unknown.
    ///
    /// @return what its machine answered
    public byte[] propose(byte[] entry, Duration patience) throws ConsensusException, InterruptedException {
        if (entry.length > ENTRY_BYTES) {
            throw new IllegalArgumentException("an entry of " + entry.length + " bytes; at most " + ENTRY_BYTES);
        }
        var proposal = new Proposal(entry);
        var request = RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(RaftPeerId.valueOf(self))
                .setGroupId(log.group())
                .setCallId(callIds.incrementAndGet())
                .setMessage(proposal)
                .setType(RaftClientRequest.writeRequestType())
                .build();
        try {
            var reply = submit(() -> server.submitClientRequestAsync(request))
                    .get(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (!reply.isSuccess()) {
                throw failure(proposal, Optional.ofNullable(reply.getException()));
            }
            handOvers.taken();
            outgoing.confirmations().tell();
            return reply.getMessage().getContent().toByteArray();
        } catch (TimeoutException _) {
            throw new ConsensusException.OutcomeUnknown("not committed within " + patience.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw failure(proposal, Optional.ofNullable(e.getCause()));
        }
    }

    private interface Submission {
        CompletableFuture<RaftClientReply> begin() throws IOException;
    }

    /// Ratis' methods block now and then, so each call has a thread of its own.
    private CompletableFuture<RaftClientReply> submit(Submission submission) throws ConsensusException {
        var reply = new CompletableFuture<CompletableFuture<RaftClientReply>>();
        try {
            threads.execute(() -> {
                try {
                    reply.complete(submission.begin());
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
            case LeaderNotReadyException _ -> new ConsensusException.NotLeader(self, Optional.empty());
            case LeaderSteppingDownException _ -> {
                handOvers.refused();
                yield new ConsensusException.NotLeader(self, Optional.empty());
            }
            case null, default -> new ConsensusException.Refused(why);
        };
    }

    private static Optional<String> suggested(NotLeaderException e) {
        return Optional.ofNullable(e.getSuggestedLeader())
                .map(peer -> peer.getId().toString());
    }

    /// Whether something may have left a server with this folder: a folder without its record looks new.
    public static boolean hasRecord(Path folder) {
        return Files.exists(RaftFolder.record(folder));
    }

    /// Whether it takes part. A server ends by itself when its drive or its machine fails, or when it was removed. It
    /// is to be closed, and may begin again, when a hand-over of it does not end.
    public boolean isOpen() {
        return division.getInfo().isAlive() && !handOvers.isStuck();
    }

    /// The servers of the log, as far as this one knows; none before it was added.
    public Set<String> members() {
        return ids(division.getRaftConf().getCurrentPeers());
    }

    /// Whether a change of the servers is on its way: it may be undone.
    public boolean isChanging() {
        return !division.getRaftConf().getPreviousPeers().isEmpty();
    }

    private static Set<String> ids(Collection<RaftPeer> peers) {
        return peers.stream().map(peer -> peer.getId().toString()).collect(Collectors.toSet());
    }

    /// Adds a server, or takes one away. Returns when the log has it: one that is added has caught up by then. To be
    /// asked of the leader; it can be asked again.
    ///
    /// @param next all servers from then on
    /// @throws ConsensusException when it is not known whether it was done, too
    public void changeMembers(Set<String> next, Duration patience) throws ConsensusException, InterruptedException {
        var now = members();
        if (!now.equals(next) // then it says whether that is logged
                && !(now.size() == next.size() + 1 && now.containsAll(next))
                && !(next.size() == now.size() + 1 && next.containsAll(now))) {
            throw new IllegalArgumentException("one server at a time: from " + now + " to " + next);
        }
        var request = new SetConfigurationRequest(
                client,
                RaftPeerId.valueOf(self),
                log.group(),
                callIds.incrementAndGet(),
                SetConfigurationRequest.Arguments.newBuilder()
                        .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                        .setServersInCurrentConf(peers(now))
                        .setServersInNewConf(peers(next))
                        .build());
        try {
            var reply =
                    submit(() -> server.setConfigurationAsync(request)).get(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (!reply.isSuccess()) {
                throw new ConsensusException.OutcomeUnknown("the servers may be " + next + ": " + reply.getException());
            }
        } catch (TimeoutException _) {
            throw new ConsensusException.OutcomeUnknown(
                    "the servers are not known to be %s after %d ms".formatted(next, patience.toMillis()));
        } catch (ExecutionException e) {
            throw new ConsensusException.OutcomeUnknown("the servers may be " + next + ": " + e.getCause());
        }
    }

    /// Has another server lead, which must be up to date. To be asked of the leader.
    ///
    /// @throws ConsensusException when it is not known whether it does, too
    public void handOver(String next, Duration patience) throws ConsensusException, InterruptedException {
        var request = new TransferLeadershipRequest(
                client,
                RaftPeerId.valueOf(self),
                log.group(),
                callIds.incrementAndGet(),
                RaftPeerId.valueOf(next),
                patience.toMillis());
        try {
            var reply =
                    submit(() -> server.transferLeadershipAsync(request)).get(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (!reply.isSuccess()) {
                throw new ConsensusException.OutcomeUnknown(next + " does not lead: " + reply.getException());
            }
        } catch (TimeoutException _) {
            throw new ConsensusException.OutcomeUnknown(
                    next + " is not known to lead after " + patience.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw new ConsensusException.OutcomeUnknown(next + " does not lead: " + e.getCause());
        }
    }

    /// While servers change, a majority of those before and of those after.
    private boolean isMajority(Set<String> answered) {
        var conf = division.getRaftConf();
        var previous = ids(conf.getPreviousPeers());
        return isMajority(answered, ids(conf.getCurrentPeers()))
                && (previous.isEmpty() || isMajority(answered, previous));
    }

    private boolean isMajority(Set<String> answered, Set<String> of) {
        return of.stream()
                        .filter(id -> id.equals(self) || answered.contains(id))
                        .count()
                > of.size() / 2;
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
        if (!outgoing.confirmations().await(this::isMajority, term, patience)) {
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
