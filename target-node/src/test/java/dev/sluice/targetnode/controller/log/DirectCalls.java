package dev.sluice.targetnode.controller.log;

import dev.sluice.targetnode.controller.raft.RaftCalls;
import dev.sluice.targetnode.controller.raft.RaftHandler;
import dev.sluice.targetnode.controller.raft.Uninterrupted;
import java.io.IOException;

/// Raft's calls, delivered in this JVM.
public record DirectCalls(Servers servers) implements RaftCalls {
    private RaftHandler reached(String peer) throws IOException {
        return new Uninterrupted(servers.reached(peer));
    }

    public interface Servers {
        /// @throws IOException when it is not reached
        RaftHandler reached(String peer) throws IOException;
    }

    @Override
    public byte[] vote(String peer, byte[] request) throws IOException {
        return reached(peer).vote(request);
    }

    @Override
    public byte[] append(String peer, byte[] request) throws IOException {
        return reached(peer).append(request);
    }

    @Override
    public byte[] snapshot(String peer, byte[] request) throws IOException {
        return reached(peer).snapshot(request);
    }

    @Override
    public byte[] startElection(String peer, byte[] request) throws IOException {
        return reached(peer).startElection(request);
    }
}
