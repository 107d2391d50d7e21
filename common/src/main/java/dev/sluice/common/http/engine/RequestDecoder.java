package dev.sluice.common.http.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Bytes to requests. Stricter than the codec's default: a request with both framings is refused, never repaired. It
/// stops, in the middle of what was read, while a request waits for the one before it to be answered: a decoded head
/// takes far more memory than its bytes, and one read may hold thousands.
final class RequestDecoder extends HttpRequestDecoder {
    /// Room for method and version beside the URI.
    private static final int LINE_OVERHEAD = 64;

    private final Connection connection;
    private @Nullable ChannelHandlerContext context;
    private boolean stopped;

    RequestDecoder(EngineConfig config, Connection connection) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(config.maxUriBytes() + LINE_OVERHEAD)
                .setMaxHeaderSize(config.maxHeaderBytes())
                .setMaxChunkSize(SocketBuffers.LARGEST_READ)
                .setInitialBufferSize(512));
        this.connection = connection;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) throws Exception {
        if (message instanceof ByteBuf bytes) {
            connection.bytesArrived(bytes.readableBytes());
        }
        super.channelRead(reading, message);
    }

    @Override
    protected void decode(ChannelHandlerContext decoding, ByteBuf in, List<Object> out) throws Exception {
        stopped = connection.hasWaiting();
        if (!stopped) {
            super.decode(decoding, in, out);
        }
    }

    /// Whether it has bytes that it has not looked at.
    boolean isStopped() {
        return stopped;
    }

    /// Goes on with what was read before.
    void resume() throws Exception {
        stopped = false;
        if (context != null) {
            super.channelRead(context, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
    }
}
