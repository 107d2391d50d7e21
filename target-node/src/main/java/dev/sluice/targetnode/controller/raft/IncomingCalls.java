package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;

/// Calls of other servers. Their answers leave when what they say is durable here. While the drive stands still the
/// others repeat their calls, so only some wait: fewer than the node has threads for them, since a server that takes
/// this one's place needs some too.
final class IncomingCalls implements RaftHandler {
    private static final int AT_ONCE = 6;

    private interface Call {
        Answer answer() throws IOException;
    }

    /// @param term that it names; 0 when it names none
    private record Answer(MessageLite reply, long term) {}

    private final String self;
    private final RaftServer server;
    private final DurableState durable;
    private final LostTail lostTail;
    private final Supplier<TermIndex> written;
    private final Semaphore slots = new Semaphore(AT_ONCE);

    /// @param written the last entry of the log that is on the drive
    IncomingCalls(
            String self, RaftServer server, DurableState durable, LostTail lostTail, Supplier<TermIndex> written) {
        this.self = self;
        this.server = server;
        this.durable = durable;
        this.lostTail = lostTail;
        this.written = written;
    }

    @Override
    public byte[] vote(byte[] request) throws IOException {
        return answer(() -> {
            var call = RequestVoteRequestProto.parseFrom(request);
            requireOurs(call.getServerRequest());
            lostTail.requireReachedBy(call.getCandidateLastEntry());
            var reply = server.requestVote(call);
            return new Answer(reply, reply.getTerm());
        });
    }

    @Override
    public byte[] append(byte[] request) throws IOException {
        return answer(() -> {
            var call = AppendEntriesRequestProto.parseFrom(request);
            requireOurs(call.getServerRequest());
            var reply = server.appendEntries(call);
            if (reply.getResult() == AppendResult.SUCCESS) {
                lostTail.reached(written.get());
            }
            return new Answer(reply, reply.getTerm());
        });
    }

    @Override
    public byte[] snapshot(byte[] request) throws IOException {
        return answer(() -> {
            var chunk = InstallSnapshotRequestProto.parseFrom(request);
            requireOurs(chunk.getServerRequest());
            var reply = server.installSnapshot(chunk);
            if (chunk.getSnapshotChunk().getDone()) {
                durable.settleSnapshots();
                lostTail.reached(written.get());
            }
            return new Answer(reply, reply.getTerm());
        });
    }

    @Override
    public byte[] startElection(byte[] request) throws IOException {
        return answer(() -> {
            var call = StartLeaderElectionRequestProto.parseFrom(request);
            requireOurs(call.getServerRequest());
            lostTail.requireNone();
            return new Answer(server.startLeaderElection(call), 0);
        });
    }

    /// Ratis does not look. A server that took the place of another one on its node would answer for it, and vote as
    /// if it had what that one had.
    private void requireOurs(RaftRpcRequestProto head) throws IOException {
        var to = RaftPeerId.valueOf(head.getReplyId()).toString();
        if (!to.equals(self)) {
            throw new IOException("a call to %s came to %s".formatted(to, self));
        }
    }

    private byte[] answer(Call call) throws IOException {
        if (!slots.tryAcquire()) {
            throw new IOException("queue full: " + AT_ONCE + " calls wait");
        }
        try {
            var answer = call.answer();
            durable.settle(answer.term);
            return answer.reply.toByteArray();
        } finally {
            slots.release();
        }
    }
}
