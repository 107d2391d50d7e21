package dev.sluice.targetnode.controller.log;

import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.raft.RaftCalls;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// Raft's calls between controllers, by the nodes' one port, on connections of their own.
public final class RaftPeers implements RaftCalls, AutoCloseable {
    private static final Duration LIMIT = Duration.ofMillis(LIMIT_MILLIS);
    private static final Duration CHUNK_LIMIT = Duration.ofMillis(CHUNK_LIMIT_MILLIS);

    private final PeerClient peers;
    private final Function<String, Optional<PeerAddress>> addresses;

    /// @param addresses of controllers, by their ids in the log
    public RaftPeers(PeerClient peers, Function<String, Optional<PeerAddress>> addresses) {
        this.peers = peers.apart("raft");
        this.addresses = addresses;
    }

    @Override
    public byte[] vote(String peer, byte[] request) throws IOException {
        return call(peer, RaftCall.VOTE, request);
    }

    @Override
    public byte[] append(String peer, byte[] request) throws IOException {
        return call(peer, RaftCall.APPEND, request);
    }

    @Override
    public byte[] snapshot(String peer, byte[] request) throws IOException {
        return call(peer, RaftCall.SNAPSHOT, request);
    }

    @Override
    public byte[] startElection(String peer, byte[] request) throws IOException {
        return call(peer, RaftCall.START_ELECTION, request);
    }

    private byte[] call(String peer, RaftCall call, byte[] request) throws IOException {
        var limit = call == RaftCall.SNAPSHOT ? CHUNK_LIMIT : LIMIT;
        var address = addresses.apply(peer).orElseThrow(() -> new IOException("no controller has the id " + peer));
        try {
            return peers.post(address, PeerPaths.RAFT, "call=" + call.word(), request, limit);
        } catch (StoreException away) {
            throw new IOException(away.getMessage(), away);
        }
    }

    @Override
    public void close() {
        peers.close();
    }
}
