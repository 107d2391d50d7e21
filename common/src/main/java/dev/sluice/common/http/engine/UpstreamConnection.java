package dev.sluice.common.http.engine;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One connection to another node. Belongs to the relay at work, or to nobody while it waits to be used again. Event
/// loop only.
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
    /// Whom it works for.
    interface Listener {
        void answerHead(HttpResponse head);

        void answerContent(HttpContent content);

        void answerPaused();

        void roomForBody();

        /// The node closed the connection, or what it sent cannot be understood.
        void lost(IOException cause);
    }

    private final Upstreams home;
    private final URI node;
    private @Nullable Channel channel;
    private @Nullable Listener listener;
    private boolean answersHead;
    private long idleSince;

    UpstreamConnection(Upstreams home, URI node) {
        this.home = home;
        this.node = node;
    }

    URI node() {
        return node;
    }

    HttpResponseDecoder decoder(int largestPiece) {
        return new HttpResponseDecoder(new HttpDecoderConfig()
                .setMaxInitialLineLength(4 << 10)
                .setMaxHeaderSize(64 << 10)
                .setMaxChunkSize(largestPiece)) {
            @Override
            protected boolean isContentAlwaysEmpty(HttpMessage message) {
                return answersHead || super.isContentAlwaysEmpty(message);
            }
        };
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    Channel channel() {
        if (channel == null) {
            throw new IllegalStateException("not connected yet");
        }
        return channel;
    }

    boolean isOpen() {
        return channel().isActive();
    }

    Duration idleFor() {
        return Duration.ofNanos(System.nanoTime() - idleSince);
    }

    void lendTo(Listener user, boolean headRequest) {
        listener = user;
        answersHead = headRequest;
    }

    /// Keeps the connection for the next request to the node.
    void giveBack() {
        listener = null;
        idleSince = System.nanoTime();
        home.keep(this);
        // An end of file is noticed only by a connection that reads.
        channel().read();
    }

    void close() {
        listener = null;
        Unawaited.close(channel());
    }

    /// Breaks off an answer: to the node, an orderly end would be that of a client that waits for the rest.
    void reset() {
        if (isOpen()) {
            channel().config().setOption(ChannelOption.SO_LINGER, 0);
        }
        close();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (listener == null) {
            ReferenceCountUtil.release(message);
            Unawaited.close(context.channel());
            return;
        }
        if (message instanceof HttpMessage head && head.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            fail(new IOException(
                    "the node's answer is malformed", head.decoderResult().cause()));
            return;
        }
        if (message instanceof HttpResponse head) {
            listener.answerHead(head);
        }
        if (message instanceof HttpContent content) {
            if (content.decoderResult().isFailure()) {
                content.release();
                fail(new IOException(
                        "the node's answer is malformed",
                        content.decoderResult().cause()));
            } else if (listener == null) {
                content.release();
            } else {
                listener.answerContent(content);
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (listener != null) {
            listener.answerPaused();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (listener != null && context.channel().isWritable()) {
            listener.roomForBody();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        home.forget(this);
        fail(new IOException("the node closed the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause instanceof IOException io ? io : new IOException("the connection to the node failed", cause));
    }

    private void fail(IOException cause) {
        var user = listener;
        listener = null;
        Unawaited.close(channel());
        if (user != null) {
            user.lost(cause);
        }
    }
}
