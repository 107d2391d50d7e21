package dev.sluice.targetnode.controller.raft;

import java.io.IOException;

/// This server's own record says that it voted later than Ratis' file says: that file is older than a vote
/// that left.
public final class LostVote extends IOException {
    private static final long serialVersionUID = 1L;

    LostVote(String message) {
        super(message);
    }
}
