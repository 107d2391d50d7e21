package dev.sluice.common.http.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;

/// Bytes to requests. Stricter than the codec's default: a request with both framings is refused, never repaired.
final class RequestDecoder extends HttpRequestDecoder {
    /// Room for method and version beside the URI.
    private static final int LINE_OVERHEAD = 64;

    private final Connection connection;

    RequestDecoder(EngineConfig config, Connection connection) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(config.maxUriBytes() + LINE_OVERHEAD)
                .setMaxHeaderSize(config.maxHeaderBytes())
                .setMaxChunkSize(SocketBuffers.LARGEST_READ)
                .setInitialBufferSize(512));
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (message instanceof ByteBuf bytes) {
            connection.bytesArrived(bytes.readableBytes());
        }
        super.channelRead(context, message);
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
    }
}
