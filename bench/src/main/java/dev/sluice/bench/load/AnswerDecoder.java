package dev.sluice.bench.load;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;

/// Decodes answers; bodies come as slices of what was read. It has to be told that an answer to HEAD has no body.
final class AnswerDecoder extends HttpResponseDecoder {
    private static final HttpDecoderConfig CONFIG = new HttpDecoderConfig()
            .setMaxHeaderSize(64 << 10)
            .setMaxChunkSize(1 << 20)
            .setValidateHeaders(false);

    private final ClosedLoop connection;

    AnswerDecoder(ClosedLoop connection) {
        super(CONFIG);
        this.connection = connection;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        return connection.awaitsHead() || super.isContentAlwaysEmpty(message);
    }
}
