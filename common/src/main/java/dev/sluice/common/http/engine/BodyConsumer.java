package dev.sluice.common.http.engine;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;

/// Where the body of the request at hand goes. Called on the event loop.
interface BodyConsumer {
    /// Takes over the reference.
    void content(ByteBuf bytes);

    void end(HttpHeaders trailers);

    /// The body is malformed, or its sender is gone.
    void failed(IOException cause);

    /// False holds the client back.
    boolean wantsMore();

    /// Throws the body away.
    BodyConsumer DISCARD = new BodyConsumer() {
        @Override
        public void content(ByteBuf bytes) {
            bytes.release();
        }

        @Override
        public void end(HttpHeaders trailers) {}

        @Override
        public void failed(IOException cause) {}

        @Override
        public boolean wantsMore() {
            return true;
        }
    };
}
