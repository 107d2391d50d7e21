package dev.sluice.targetnode.controller.raft;

import java.io.IOException;

/// This server once voted or acknowledged entries, and does not have them any more. If it took part again, it
/// could vote twice in one term, or elect a leader without entries that it helped to commit.
public final class LostLogException extends IOException {
    private static final long serialVersionUID = 1L;

    LostLogException(String message) {
        super(message);
    }
}
