package dev.sluice.targetnode.controller.raft;

import java.io.IOException;

/// Calls to another server. Each blocks until the answer is there, and is interrupted after {@link
/// #LIMIT_MILLIS}, or {@link #CHUNK_LIMIT_MILLIS}; what arrives later is harmless. At the other end {@link
/// RaftHandler} gets the same bytes.
public interface RaftCalls {
    int LIMIT_MILLIS = 700;

    /// Of a chunk of a snapshot, which is synced before it is answered. Heartbeats go beside it.
    int CHUNK_LIMIT_MILLIS = 5_000;

    byte[] vote(String peer, byte[] request) throws IOException, InterruptedException;

    byte[] append(String peer, byte[] request) throws IOException, InterruptedException;

    /// Installs one chunk of a snapshot.
    byte[] snapshot(String peer, byte[] request) throws IOException, InterruptedException;

    byte[] startElection(String peer, byte[] request) throws IOException, InterruptedException;
}
