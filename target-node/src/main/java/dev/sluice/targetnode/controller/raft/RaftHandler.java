package dev.sluice.targetnode.controller.raft;

import java.io.IOException;

/// Where a transport delivers the calls of {@link RaftCalls}. It blocks as long as the drive does: call it on
/// a virtual thread.
public interface RaftHandler {
    byte[] vote(byte[] request) throws IOException;

    byte[] append(byte[] request) throws IOException;

    byte[] snapshot(byte[] request) throws IOException;

    byte[] startElection(byte[] request) throws IOException;
}
