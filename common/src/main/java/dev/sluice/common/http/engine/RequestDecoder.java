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
    private final MemoryBudget budget;
    private @Nullable ChannelHandlerContext context;
    private boolean stopped;
    private long held;

    RequestDecoder(EngineConfig config, MemoryBudget budget, Connection connection) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(config.maxUriBytes() + LINE_OVERHEAD)
                .setMaxHeaderSize(config.maxHeaderBytes())
                .setMaxChunkSize(SocketBuffers.LARGEST_READ)
                .setInitialBufferSize(512));
        this.connection = connection;
        this.budget = budget;
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
        if (stopped) {
            hold(in.readableBytes());
        } else {
            super.decode(decoding, in, out);
        }
    }

    /// That many bytes wait here.
    private void hold(int bytes) {
        budget.charge(bytes - held);
        held = bytes;
    }

    /// Whether it has bytes that it has not looked at.
    boolean isStopped() {
        return stopped;
    }

    /// Bytes that wait here for the requests before them.
    long held() {
        return held;
    }

    /// Goes on with what was read before.
    void resume() throws Exception {
        stopped = false;
        hold(0);
        if (context != null) {
            super.channelRead(context, Unpooled.EMPTY_BUFFER);
        }
    }

    /// The end of what a client sends ends nothing here: requests that wait are still decoded.
    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        at.fireUserEventTriggered(event);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext removed) throws Exception {
        hold(0);
        super.handlerRemoved0(removed);
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
    }
}
