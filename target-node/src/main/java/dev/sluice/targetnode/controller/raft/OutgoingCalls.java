package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;

/// Ratis' calls to other servers: each within the limit, and not before what it says is durable here. They have
/// platform threads of their own, for virtual ones may wait for long where much else is done.
final class OutgoingCalls implements RaftServerRpc {
    private interface Call {
        byte[] to(String peer, byte[] request) throws IOException, InterruptedException;
    }

    /// An append, a heartbeat and a vote for each of two followers, and two that a drive may hold. A third follower is
    /// there only while a server is replaced.
    private static final int THREADS = 8;

    private final RaftCalls calls;
    private final DurableState durable;
    private final LostTail lostTail;
    private final Confirmations confirmations = new Confirmations();
    private volatile Optional<FlushWatch> flushes = Optional.empty();
    private final ExecutorService threads = Executors.newFixedThreadPool(
            THREADS, Thread.ofPlatform().name("raft-calls-", 0).daemon().factory());

    OutgoingCalls(RaftCalls calls, DurableState durable, LostTail lostTail) {
        this.calls = calls;
        this.durable = durable;
        this.lostTail = lostTail;
    }

    Confirmations confirmations() {
        return confirmations;
    }

    /// Of the log that this server leads.
    void watch(RaftLog log) {
        flushes = Optional.of(new FlushWatch(() -> log.getNextIndex() - 1, log::getFlushIndex, System::nanoTime));
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        lostTail.requireNone();
        return RequestVoteReplyProto.parseFrom(
                send(calls::vote, request.getServerRequest(), request.getCandidateTerm(), request));
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) throws IOException {
        lostTail.requireNone(); // it may not lead
        var watch = flushes;
        if (watch.isPresent()) {
            watch.get().require();
        }
        var sent = System.nanoTime();
        var reply = AppendEntriesReplyProto.parseFrom(
                send(calls::append, request.getServerRequest(), request.getLeaderTerm(), request));
        if (reply.getTerm() == request.getLeaderTerm() && reply.getResult() != AppendResult.NOT_LEADER) {
            confirmations.answered(peer(request.getServerRequest()), reply.getTerm(), sent);
        }
        return reply;
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) throws IOException {
        lostTail.requireNone();
        return InstallSnapshotReplyProto.parseFrom(send(
                calls::snapshot,
                request.getServerRequest(),
                request.getLeaderTerm(),
                request,
                RaftCalls.CHUNK_LIMIT_MILLIS));
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
            throws IOException {
        return StartLeaderElectionReplyProto.parseFrom(
                send(calls::startElection, request.getServerRequest(), 0, request));
    }

    private byte[] send(Call call, RaftRpcRequestProto head, long term, MessageLite request) throws IOException {
        return send(call, head, term, request, RaftCalls.LIMIT_MILLIS);
    }

    private byte[] send(Call call, RaftRpcRequestProto head, long term, MessageLite request, int limitMillis)
            throws IOException {
        return limited(new Sending(call, peer(head), term, request.toByteArray()), limitMillis);
    }

    /// What this server says must be durable here first. That is not broken off when it takes long: it would never be.
    private final class Sending implements Callable<byte[]> {
        private final Call call;
        private final String peer;
        private final long term;
        private final byte[] request;
        private volatile boolean settled;
        private volatile boolean abandoned;

        Sending(Call call, String peer, long term, byte[] request) {
            this.call = call;
            this.peer = peer;
            this.term = term;
            this.request = request;
        }

        @Override
        public byte[] call() throws IOException, InterruptedException {
            durable.settle(term);
            settled = true;
            if (abandoned) {
                throw new IOException("nobody waits for the answer any more");
            }
            return call.to(peer, request);
        }

        void abandon(Future<byte[]> future) {
            abandoned = true;
            future.cancel(settled);
        }
    }

    private static String peer(RaftRpcRequestProto head) {
        return RaftPeerId.valueOf(head.getReplyId()).toString();
    }

    /// Ratis takes an {@link InterruptedIOException} for the end of its own thread, so a call's time-out is none.
    private byte[] limited(Sending sending, int limitMillis) throws IOException {
        Future<byte[]> future;
        try {
            future = threads.submit(sending);
        } catch (RejectedExecutionException e) {
            throw new IOException("closed", e);
        }
        try {
            return future.get(limitMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no answer from " + sending.peer + " within " + limitMillis + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException("call to " + sending.peer + " failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var interrupted = new InterruptedIOException("call to " + sending.peer);
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            sending.abandon(future);
        }
    }

    @Override
    public RpcType getRpcType() {
        return new OwnCallsRpc();
    }

    @Override
    public void start() {}

    /// Nothing listens here. Ratis shows it, and connects to nobody.
    @Override
    public InetSocketAddress getInetSocketAddress() {
        return InetSocketAddress.createUnresolved("none", 0);
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> peers) {}

    @Override
    public void handleException(RaftPeerId server, Exception e, boolean reconnect) {}

    @Override
    public void close() {
        var _ = threads.shutdownNow();
    }
}
