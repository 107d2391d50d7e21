package dev.sluice.common.http.engine;

import dev.sluice.common.http.Headers;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.WatchedSocket;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One client's connection: hands out one request at a time, in order, and reads from the socket only when somebody can
/// take what arrives. At most one request was decoded beyond the one at hand, and waits here. Event loop only.
final class Connection extends ChannelInboundHandlerAdapter {
    /// Tells a connection to end after the request at hand.
    record Drain() {}

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /// Bytes of requests behind the one at hand, of a client that sends nothing more: they stay until that is answered.
    private static final int MOST_BEHIND = 32 << 10;

    private final Engine engine;
    private final SocketChannel channel;
    private final InetSocketAddress remote;
    private final boolean secure;
    private final ConnectionClock clock;
    private final RequestDecoder decoder;
    private final ArrayDeque<Object> waiting = new ArrayDeque<>();
    private @Nullable Exchange current;
    private boolean refusedForNumber;
    private boolean insideRead;
    private boolean pumping;
    private boolean flushWanted;
    /// The client has sent all that it will. What it asked to read is answered.
    private boolean halfClosed;
    /// No further request is taken; what arrives is thrown away until the connection is closed.
    private boolean closing;

    Connection(Engine engine, SocketChannel channel) {
        this.engine = engine;
        this.channel = channel;
        this.remote = channel.remoteAddress();
        this.secure = engine.tls().isPresent();
        this.clock = new ConnectionClock(engine, this, channel);
        this.decoder = new RequestDecoder(engine.config(), engine.budget(), this);
    }

    Channel channel() {
        return channel;
    }

    @Nullable
    Exchange current() {
        return current;
    }

    /// In front of this in the channel's pipeline.
    RequestDecoder decoder() {
        return decoder;
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /// Neither a request nor a part of one has arrived that is not taken yet.
    private boolean nothingWaits() {
        return waiting.isEmpty() && !decoder.isStopped();
    }

    boolean closing() {
        return closing;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        int number = engine.metrics().connected();
        clock.start();
        if (number > engine.config().maxConnections()) {
            refusedForNumber = true;
            engine.metrics().refused(503);
            if (secure) {
                // Saying why would take a handshake, which is what there is no room for.
                Unawaited.close(channel);
                return;
            }
            refuse(new MalformedRequest(503, "Too many connections."));
            return;
        }
        if (engine.draining()) {
            Unawaited.close(channel);
            return;
        }
        channel.read();
    }

    /// Told by the decoder before it looks at the bytes.
    void bytesArrived(int number) {
        insideRead = true;
        clock.received(number, current == null && nothingWaits());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (closing) {
            ReferenceCountUtil.release(message);
            return;
        }
        waiting.add(message);
        pump();
    }

    /// Hands on what waits, as far as it can be taken now.
    private void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            for (var next = waiting.peek(); next != null && !closing && canTake(next); next = waiting.peek()) {
                waiting.poll();
                take(next);
            }
        } finally {
            pumping = false;
        }
    }

    private boolean canTake(Object next) {
        return !(next instanceof HttpRequest) || (current == null && channel.isWritable());
    }

    private void take(Object next) {
        if (next instanceof HttpRequest request) {
            begin(request);
        } else if (next instanceof HttpContent content) {
            takeContent(content);
        } else {
            ReferenceCountUtil.release(next);
        }
    }

    private void begin(HttpRequest request) {
        clock.headComplete();
        RequestReader read;
        try {
            read = RequestReader.read(
                    request,
                    engine.config(),
                    remote,
                    secure,
                    engine.requestIds().next());
        } catch (MalformedRequest malformed) {
            engine.metrics().refused(malformed.status());
            refuse(malformed);
            return;
        }
        if (halfClosed && !read.onlyReads()) {
            closeGracefully(true);
            return;
        }
        engine.metrics().requestBegun();
        var exchange = new Exchange(engine, this, read);
        current = exchange;
        exchange.begin();
    }

    private void takeContent(HttpContent content) {
        var exchange = current;
        if (exchange == null) {
            content.release();
        } else if (content.decoderResult().isFailure()) {
            content.release();
            exchange.malformedBody(content.decoderResult().cause());
        } else if (content instanceof LastHttpContent last) {
            exchange.received().content(last.content());
            exchange.requestEnded(last.trailingHeaders());
        } else {
            exchange.received().content(content.content());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        insideRead = false;
        if (flushWanted) {
            flushWanted = false;
            channel.flush();
        }
        readIfWanted();
    }

    /// Lets the socket be read once more unless what came before has not found a taker yet.
    void readIfWanted() {
        if (insideRead || !channel.isActive()) {
            return;
        }
        if (waiting.isEmpty() && decoder.isStopped()) {
            decodeRest();
        }
        if (halfClosed) {
            endWhatIsInVain();
            return;
        }
        var exchange = current;
        if (closing
                || (nothingWaits() && (exchange == null || exchange.received().wantsMore()))) {
            clock.reading(exchange != null && exchange.received().isAwaited());
            channel.read();
        } else {
            clock.reading(false);
        }
    }

    /// Of a client that has sent all: it waits for its answer, or has gone. The two look the same, so a write is ended:
    /// a client that has gone may have written the same since.
    private void endWhatIsInVain() {
        var exchange = current;
        if (exchange == null) {
            if (closing || nothingWaits()) {
                closeGracefully(true);
            }
        } else if (!exchange.onlyReads()
                || (nothingWaits() && !exchange.received().hasEnded())) {
            Unawaited.close(channel);
        }
    }

    /// What was read with a request that is answered by now.
    private void decodeRest() {
        insideRead = true;
        try {
            decoder.resume();
        } catch (Exception broken) {
            channel.pipeline().fireExceptionCaught(broken);
        } finally {
            insideRead = false;
        }
        if (flushWanted) {
            flushWanted = false;
            channel.flush();
        }
    }

    private void closeAfterWrites() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /// Flushes now, or at the end of the read at hand, so that pipelined answers leave together.
    void flushSoon() {
        if (insideRead) {
            flushWanted = true;
        } else {
            channel.flush();
        }
    }

    /// The exchange has ended and the connection can be used again.
    void next() {
        current = null;
        clock.idleFromNow();
        if (engine.draining()) {
            closeGracefully(nothingWaits());
            return;
        }
        pump();
        readIfWanted();
    }

    /// Closes once everything written has left.
    ///
    /// @param inputEnded nothing more is expected from the client; else the rest is received and thrown away for a
    ///     while, because closing a socket with unread bytes would destroy the answer on its way
    void closeGracefully(boolean inputEnded) {
        current = null;
        closing = true;
        boolean nothingUnread = nothingWaits();
        releaseWaiting();
        if (halfClosed || (inputEnded && nothingUnread)) {
            closeAfterWrites();
            return;
        }
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> {
            var ssl = channel.pipeline().get(SslHandler.class);
            if (ssl != null) {
                var _ = ssl.closeOutbound();
            }
            var _ = channel.shutdownOutput();
        });
        clock.lingerFromNow();
        readIfWanted();
    }

    /// Cuts the connection so that the client cannot take what it got for the whole.
    void abort() {
        if (!channel.isOpen()) {
            return;
        }
        channel.config().setSoLinger(0);
        Unawaited.close(channel);
    }

    void refuse(MalformedRequest malformed) {
        var text = (malformed.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
        var head = new AnswerHead(
                malformed.status(),
                Headers.of("Content-Type", "text/plain"),
                text.length,
                engine.requestIds().next(),
                false,
                false);
        var out = channel.alloc().directBuffer(head.size() + text.length);
        head.writeTo(out, engine.date());
        out.writeBytes(text);
        Unawaited.write(channel, out);
        closeGracefully(refusedForNumber);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (current != null) {
            current.writabilityChanged();
        }
        if (channel.isWritable()) {
            pump();
            readIfWanted();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof Drain && current == null && !closing && channel.isActive()) {
            closeGracefully(nothingWaits());
        } else if (event instanceof ChannelInputShutdownEvent && channel.isActive()) {
            inputShutDown();
        }
    }

    private void inputShutDown() {
        halfClosed = true;
        try {
            if (channel instanceof EpollSocketChannel socket) {
                WatchedSocket.keep(socket);
            }
        } catch (IOException gone) {
            Unawaited.close(channel);
            return;
        }
        if (decoder.held() > MOST_BEHIND) {
            Unawaited.close(channel);
            return;
        }
        clock.halfClosed();
        readIfWanted();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        clock.stop();
        engine.metrics().disconnected();
        closing = true;
        releaseWaiting();
        var exchange = current;
        current = null;
        if (exchange != null) {
            exchange.disconnected();
        }
    }

    private void releaseWaiting() {
        for (var each = waiting.poll(); each != null; each = waiting.poll()) {
            ReferenceCountUtil.release(each);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            LOG.debug("connection of {} broke: {}", remote, cause.toString());
        } else {
            LOG.error("connection of {} closed for a fault of ours", remote, cause);
        }
        Unawaited.close(channel);
    }
}
