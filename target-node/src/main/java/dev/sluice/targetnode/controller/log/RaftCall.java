package dev.sluice.targetnode.controller.log;

import dev.sluice.targetnode.controller.raft.RaftHandler;
import java.io.IOException;
import java.util.Arrays;

/// The calls of Raft between controllers, as they are named in a request.
public enum RaftCall {
    VOTE("vote", RaftHandler::vote),
    APPEND("append", RaftHandler::append),
    SNAPSHOT("snapshot", RaftHandler::snapshot),
    START_ELECTION("start-election", RaftHandler::startElection);

    private interface Delivery {
        byte[] to(RaftHandler handler, byte[] request) throws IOException;
    }

    private final String word;
    private final Delivery delivery;

    RaftCall(String word, Delivery delivery) {
        this.word = word;
        this.delivery = delivery;
    }

    public String word() {
        return word;
    }

    /// @throws IllegalArgumentException when no call has this name
    public static RaftCall of(String word) {
        return Arrays.stream(values())
                .filter(call -> call.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no call of Raft: '" + word + "'"));
    }

    /// Blocks.
    public byte[] deliver(RaftHandler handler, byte[] request) throws IOException {
        return delivery.to(handler, request);
    }
}
