package dev.sluice.common.http.engine;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries one request to another node and its answer back. Buffers pass from socket to socket unread; each
/// side is read only while the other has room. Before the answer's head is passed on, a lost node becomes an
/// error answer (or one more try, when an idle connection turned out stale and nothing of a body was sent);
/// afterwards the client's connection is cut. Event loop only.
final class Relay implements BodyConsumer, Sending, UpstreamConnection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private final Exchange exchange;
    private final Forward forward;
    private final Channel client;
    private final Upstreams upstreams;
    private final MemoryBudget budget;
    private final boolean bodyChunked;

    /// Body that arrived before the node was connected.
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>();
    private boolean bodyEnded;
    private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;
    private boolean bodyBegunUpstream;
    private boolean bodyDoneUpstream;

    private @Nullable UpstreamConnection upstream;
    private boolean reused;
    private boolean interim;
    private boolean answerBegun;
    private boolean answerChunked;
    private boolean reusable;
    private boolean over;
    private long activeAt = System.nanoTime();

    Relay(Exchange exchange, Forward forward) {
        this.exchange = exchange;
        this.forward = forward;
        this.client = exchange.channel();
        this.upstreams = exchange.engine().upstreams();
        this.budget = exchange.engine().budget();
        this.bodyChunked = exchange.head().contentLength() == RequestHead.UNKNOWN_LENGTH;
    }

    void begin() {
        if (!exchange.head().hasBody()) {
            bodyEnded = true;
        }
        var idle = upstreams.idle(forward.node());
        if (idle.isPresent()) {
            reused = true;
            attach(idle.get());
        } else {
            connect();
        }
    }

    private void connect() {
        reused = false;
        Promise<UpstreamConnection> connecting = upstreams.connect(client.eventLoop(), forward.node());
        connecting.addListener(_ -> {
            if (!connecting.isSuccess()) {
                unreachable(asIo(connecting.cause()));
            } else if (over) {
                connecting.getNow().close();
            } else {
                attach(connecting.getNow());
            }
        });
    }

    private static IOException asIo(Throwable cause) {
        return cause instanceof IOException io ? io : new IOException(cause);
    }

    private void attach(UpstreamConnection connection) {
        upstream = connection;
        activeAt = System.nanoTime();
        connection.lendTo(this, exchange.isHead());
        ByteBuf head;
        try {
            head = RelayedHead.ofRequest(connection.channel().alloc(), exchange, forward);
        } catch (IllegalArgumentException unsendable) {
            over = true;
            connection.close();
            releaseEarly();
            exchange.fail(unsendable);
            return;
        }
        Unawaited.write(connection.channel(), head);
        for (var bytes = early.poll(); bytes != null; bytes = early.poll()) {
            budget.release(bytes.readableBytes());
            writeBody(connection, bytes);
        }
        endBody(connection);
        connection.channel().flush();
        connection.channel().read();
        exchange.resumeReading();
    }

    // ---- the request's body, from the client

    @Override
    public void content(ByteBuf bytes) {
        if (over || !bytes.isReadable()) {
            bytes.release();
        } else if (upstream == null) {
            early.add(bytes);
            budget.charge(bytes.readableBytes());
        } else {
            writeBody(upstream, bytes);
            upstream.channel().flush();
        }
    }

    private void writeBody(UpstreamConnection to, ByteBuf bytes) {
        bodyBegunUpstream = true;
        if (bodyChunked) {
            Chunk.write(to.channel(), bytes, to.channel().voidPromise());
        } else {
            Unawaited.write(to.channel(), bytes);
        }
    }

    @Override
    public void end(HttpHeaders fields) {
        bodyEnded = true;
        trailers = fields;
        if (upstream != null && !over) {
            endBody(upstream);
            upstream.channel().flush();
        }
    }

    private void endBody(UpstreamConnection to) {
        if (!bodyEnded || bodyDoneUpstream) {
            return;
        }
        activeAt = System.nanoTime();
        bodyDoneUpstream = true;
        if (bodyChunked) {
            bodyBegunUpstream = true;
            Unawaited.write(to.channel(), Chunk.last(to.channel(), trailers));
        }
    }

    @Override
    public boolean wantsMore() {
        return over || (upstream != null && takesMore(upstream.channel()));
    }

    @Override
    public void roomForBody() {
        activeAt = System.nanoTime();
        exchange.resumeReading();
    }

    @Override
    public void failed(IOException cause) {
        stop();
    }

    // ---- the answer, from the node

    @Override
    public void answerHead(HttpResponse head) {
        activeAt = System.nanoTime();
        int status = head.status().code();
        interim = status < 200;
        if (interim) {
            if (status == 100) {
                exchange.received().sendContinue();
            }
            return;
        }
        long length = HttpUtil.isTransferEncodingChunked(head) ? -1 : HttpUtil.getContentLength(head, -1L);
        reusable = HttpUtil.isKeepAlive(head);
        answerChunked = length < 0 && !exchange.isHead() && status != 204 && status != 304 && !exchange.http10();
        var response = new Response(status, RelayedHead.endToEnd(head.headers()), ResponseBody.NONE);
        try {
            exchange.write(exchange.writeHead(response, length, 0));
        } catch (RuntimeException unsendable) {
            lost(new IOException("the node's answer cannot be passed on", unsendable));
            return;
        }
        answerBegun = true;
    }

    @Override
    public void answerContent(HttpContent content) {
        activeAt = System.nanoTime();
        if (interim || over) {
            interim &= !(content instanceof LastHttpContent);
            content.release();
            return;
        }
        var bytes = content.content();
        if (bytes.isReadable()) {
            exchange.count(bytes.readableBytes());
            if (answerChunked) {
                Chunk.write(client, bytes, client.voidPromise());
            } else {
                Unawaited.write(client, bytes);
            }
        } else {
            bytes.release();
        }
        if (content instanceof LastHttpContent last) {
            complete(last);
        }
    }

    private void complete(LastHttpContent last) {
        over = true;
        if (answerChunked) {
            Unawaited.write(client, Chunk.last(client, last.trailingHeaders()));
        }
        client.flush();
        var done = upstream;
        upstream = null;
        if (done != null) {
            if (reusable && bodyDoneUpstream) {
                done.giveBack();
            } else {
                done.close();
            }
        }
        releaseEarly();
        exchange.answerSent();
    }

    @Override
    public void answerPaused() {
        client.flush();
        pull();
    }

    @Override
    public void writabilityChanged() {
        pull();
    }

    private void pull() {
        if (upstream != null && takesMore(client)) {
            upstream.channel().read();
        }
    }

    /// While the memory for bodies is used up, only what was read at one time is on its way.
    private boolean takesMore(Channel receiver) {
        if (!budget.exhausted()) {
            return receiver.isWritable();
        }
        var out = receiver.unsafe().outboundBuffer();
        return out != null && out.isEmpty();
    }

    // ---- failures

    @Override
    public void lost(IOException cause) {
        var gone = upstream;
        upstream = null;
        if (gone != null) {
            gone.close();
        }
        if (over) {
            return;
        }
        if (answerBegun) {
            stop();
            exchange.abort("relayed from " + forward.node() + ": " + cause.getMessage());
        } else if (reused && !bodyBegunUpstream) {
            bodyDoneUpstream = false;
            connect();
        } else {
            unreachable(cause);
        }
    }

    private void unreachable(IOException cause) {
        if (over) {
            return;
        }
        stop();
        LOG.warn("{} cannot be relayed to {}: {}", exchange.head().requestId(), forward.node(), cause.getMessage());
        exchange.respondToFailure(answers -> answers.unreachable(exchange.head(), forward, cause));
    }

    @Override
    public void tick(long now) {
        boolean nodeOwes =
                upstream != null && (!upstream.channel().isWritable() || (bodyDoneUpstream && client.isWritable()));
        if (!nodeOwes) {
            activeAt = now;
        } else if (now - activeAt > exchange.engine().config().forwardTimeout().toNanos()) {
            reused = false;
            lost(new IOException("the node is silent"));
        }
    }

    @Override
    public void disconnected() {
        stop();
    }

    private void stop() {
        over = true;
        releaseEarly();
        var gone = upstream;
        upstream = null;
        if (gone != null) {
            gone.close();
        }
    }

    private void releaseEarly() {
        for (var bytes = early.poll(); bytes != null; bytes = early.poll()) {
            budget.release(bytes.readableBytes());
            bytes.release();
        }
    }
}
