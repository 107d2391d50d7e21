package dev.sluice.targetnode.controller.log;

import dev.sluice.targetnode.controller.raft.RaftCalls;
import java.io.IOException;

/// Of a server that is alone.
final class NoCalls implements RaftCalls {
    private static byte[] nobody(String peer) throws IOException {
        throw new IOException("no call to " + peer + ": this server is alone");
    }

    @Override
    public byte[] vote(String peer, byte[] request) throws IOException {
        return nobody(peer);
    }

    @Override
    public byte[] append(String peer, byte[] request) throws IOException {
        return nobody(peer);
    }

    @Override
    public byte[] snapshot(String peer, byte[] request) throws IOException {
        return nobody(peer);
    }

    @Override
    public byte[] startElection(String peer, byte[] request) throws IOException {
        return nobody(peer);
    }
}
