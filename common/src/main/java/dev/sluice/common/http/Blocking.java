package dev.sluice.common.http;

/// An answer that needs a drive, a peer, the cloud or the body: the engine runs the work on a virtual thread.
public record Blocking(Work work) implements Answer {
    @FunctionalInterface
    public interface Work {
        /// @return a [Response] or a [Forward]. A forward must not have read from the body.
        Answer run(ByteSource body);
    }

    @Override
    public Blocking with(String name, String value) {
        return new Blocking(body -> work.run(body).with(name, value));
    }
}
