package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// As behind a connection: whoever gives up a call does not interrupt the server that carries it out.
public record Uninterrupted(RaftHandler server) implements RaftHandler {
    private interface Call {
        byte[] at(RaftHandler handler) throws IOException;
    }

    @Override
    public byte[] vote(byte[] request) throws IOException {
        return at(handler -> handler.vote(request));
    }

    @Override
    public byte[] append(byte[] request) throws IOException {
        return at(handler -> handler.append(request));
    }

    @Override
    public byte[] snapshot(byte[] request) throws IOException {
        return at(handler -> handler.snapshot(request));
    }

    @Override
    public byte[] startElection(byte[] request) throws IOException {
        return at(handler -> handler.startElection(request));
    }

    private byte[] at(Call call) throws IOException {
        var answer = new CompletableFuture<byte[]>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(call.at(server));
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        });
        try {
            return answer.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException why ? why : new IOException(failed.getCause());
        } catch (InterruptedException givenUp) {
            Thread.currentThread().interrupt();
            throw new IOException("the call was given up", givenUp);
        }
    }
}
