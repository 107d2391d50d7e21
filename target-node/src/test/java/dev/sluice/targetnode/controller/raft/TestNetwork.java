package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;

/// Carries calls between servers of one JVM, except to and from those that are cut off.
final class TestNetwork {
    private interface Call {
        byte[] at(RaftHandler handler) throws IOException;
    }

    private final Map<String, RaftHandler> handlers = new ConcurrentHashMap<>();
    private final Set<String> cut = ConcurrentHashMap.newKeySet();
    final AtomicInteger snapshotChunks = new AtomicInteger();
    final AtomicInteger largest = new AtomicInteger();

    final Queue<String> refusedVotes = new ConcurrentLinkedQueue<>();

    /// What a server said when it gave its vote.
    record Vote(String voter, String candidate, long term) {}

    /// What becomes of an append, or of a heartbeat.
    interface Appends {
        byte[] answer(String from, String to, byte[] request, RaftHandler handler) throws IOException;
    }

    private volatile Appends appends = (_, _, request, handler) -> handler.append(request);

    void appendBy(Appends way) {
        appends = way;
    }

    private final CompletableFuture<Vote> firstVote = new CompletableFuture<>();
    private volatile boolean stopsAtFirstVote;

    /// Carries nothing any more when the first vote has left its server.
    CompletableFuture<Vote> stopAtFirstVote() {
        stopsAtFirstVote = true;
        return firstVote;
    }

    private void look(String candidate, String voter, byte[] request, byte[] answer) throws IOException {
        var reply = RequestVoteReplyProto.parseFrom(answer);
        if (reply.getServerReply().getSuccess()
                && !RequestVoteRequestProto.parseFrom(request).getPreVote()
                && stopsAtFirstVote) {
            stopsAtFirstVote = false;
            cut.addAll(handlers.keySet());
            firstVote.complete(new Vote(voter, candidate, reply.getTerm()));
            throw new IOException("the vote is lost");
        }
    }

    private byte[] voteOf(RaftHandler handler, byte[] request) throws IOException {
        try {
            return handler.vote(request);
        } catch (IOException why) {
            refusedVotes.add(String.valueOf(why.getMessage()));
            throw why;
        }
    }

    void add(String server, RaftHandler handler) {
        handlers.put(server, new Uninterrupted(handler));
    }

    void remove(String server) {
        handlers.remove(server);
    }

    boolean isDown(String server) {
        return !handlers.containsKey(server);
    }

    void cut(String server) {
        cut.add(server);
    }

    void heal() {
        cut.clear();
    }

    RaftCalls of(String from) {
        return new RaftCalls() {
            @Override
            public byte[] vote(String peer, byte[] request) throws IOException {
                return carry(peer, request, handler -> {
                    var answer = voteOf(handler, request);
                    look(from, peer, request, answer);
                    return answer;
                });
            }

            @Override
            public byte[] append(String peer, byte[] request) throws IOException {
                return carry(peer, request, handler -> appends.answer(from, peer, request, handler));
            }

            @Override
            public byte[] snapshot(String peer, byte[] request) throws IOException {
                snapshotChunks.incrementAndGet();
                return carry(peer, request, handler -> handler.snapshot(request));
            }

            @Override
            public byte[] startElection(String peer, byte[] request) throws IOException {
                return carry(peer, request, handler -> handler.startElection(request));
            }

            private byte[] carry(String to, byte[] request, Call call) throws IOException {
                largest.accumulateAndGet(request.length, Math::max);
                check(to);
                var handler = handlers.get(to);
                if (handler == null) {
                    throw new IOException(to + " is down");
                }
                var answer = call.at(handler);
                check(to);
                return answer;
            }

            private void check(String to) throws IOException {
                if (cut.contains(from) || cut.contains(to)) {
                    throw new IOException(from + " and " + to + " are cut off from each other");
                }
            }
        };
    }
}
