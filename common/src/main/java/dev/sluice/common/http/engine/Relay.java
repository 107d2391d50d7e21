package dev.sluice.common.http.engine;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.Route;
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
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries one request to another node and its answer back. Buffers pass from socket to socket unread; each
/// side is read only while the other has room. Nothing of a body is sent before the node asks for it, so that a node
/// that has asked for nothing has surely done nothing.
///
/// Before the answer's head is passed on, a request that is surely not carried out follows the way to another node:
/// a read always; a write whose node could not be connected to, says that it is not the primary, or has asked for
/// nothing of the body that the head announces. All others are answered 503, outcome unknown. Afterwards a lost node
/// cuts the client's connection. Event loop only.
///
/// Where the way says so, a read goes past a node that is away: that is down, cannot be connected to, or sends no head
/// and answers no ping. One that is slow and answers pings keeps the request.
final class Relay implements BodyConsumer, Sending, UpstreamConnection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /// How long a request waits for another node to have it.
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /// How long a node may pause in the middle of an answer.
    private static final Duration PAUSE = Duration.ofSeconds(10);

    /// After so long without a head, the node of a read is pinged.
    private static final Duration SILENT = Duration.ofMillis(500);

    /// The same when the cluster says that it is down, and another one has the object.
    private static final Duration PAUSE_WHEN_DOWN = Duration.ofSeconds(1);

    private final Exchange exchange;
    private final Forward forward;
    private final Channel client;
    private final Upstreams upstreams;
    private final RelayWatch watch;
    private final NodePings pings;
    private final MemoryBudget budget;
    private final boolean bodyChunked;

    /// Body that arrived before the node asked for it.
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>();
    private boolean bodyEnded;
    private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;
    private boolean bodyDoneUpstream;

    private Route.Stage stage;
    private @Nullable UpstreamConnection upstream;
    private boolean reused;
    /// The node wants the body.
    private boolean asked;
    private boolean interim;
    private boolean answerBegun;
    private boolean answerChunked;
    private boolean reusable;
    private boolean over;
    private long activeAt = System.nanoTime();

    /// Why it waits for another node, since when, and how long it has waited before. Time at a node that had it and
    /// was lost is not waiting.
    private Optional<IOException> parked = Optional.empty();
    private long waitsSince;
    private long waited;

    private long sentAt = System.nanoTime();

    /// Of a read: when its node was asked, or answered a ping.
    private long heardAt = sentAt;
    private boolean pinged;
    /// A connection broke off before the answer, and another one was tried.
    private boolean connectedAgain;

    Relay(Exchange exchange, Forward forward) {
        this.exchange = exchange;
        this.forward = forward;
        this.client = exchange.channel();
        this.upstreams = exchange.engine().upstreams();
        this.watch = exchange.engine().relays();
        this.pings = exchange.engine().pings();
        this.budget = exchange.engine().budget();
        this.bodyChunked = exchange.head().contentLength() == RequestHead.UNKNOWN_LENGTH;
        this.stage = forward.route().now();
    }

    /// The node that sends it knows what that takes.
    @Override
    public double shortage() {
        return 0;
    }

    void begin() {
        if (!exchange.head().hasBody()) {
            bodyEnded = true;
        }
        watch.add(this, client.eventLoop());
        send();
    }

    private void send() {
        if (forward.route().mayMove() && forward.route().isDown(stage)) {
            elsewhere(new IOException("the node is down"), System.nanoTime());
            return;
        }
        sentAt = System.nanoTime();
        heardAt = sentAt;
        pinged = false;
        connectedAgain = false;
        asked = false;
        bodyDoneUpstream = false;
        interim = false;
        var idle = upstreams.idle(stage.node());
        if (idle.isPresent()) {
            reused = true;
            attach(idle.get());
        } else {
            connect();
        }
    }

    private void connect() {
        reused = false;
        var to = stage;
        Promise<UpstreamConnection> connecting = upstreams.connect(client.eventLoop(), to.node());
        connecting.addListener(_ -> {
            boolean current = !over && upstream == null && parked.isEmpty() && to.equals(stage);
            if (connecting.isSuccess()) {
                if (current) {
                    attach(connecting.getNow());
                } else {
                    connecting.getNow().close();
                }
            } else if (current && !goPast()) {
                elsewhere(asIo(connecting.cause()), System.nanoTime());
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
            head = RelayedHead.ofRequest(connection.channel().alloc(), exchange, stage);
        } catch (IllegalArgumentException unsendable) {
            connection.close();
            upstream = null;
            stop();
            exchange.fail(unsendable);
            return;
        }
        Unawaited.write(connection.channel(), head);
        if (!exchange.head().hasBody()) {
            bodyDoneUpstream = true;
        }
        connection.channel().flush();
        connection.channel().read();
    }

    // ---- the request's body, from the client

    @Override
    public void content(ByteBuf bytes) {
        if (over || !bytes.isReadable()) {
            bytes.release();
        } else if (upstream == null || !asked) {
            early.add(bytes);
            budget.charge(bytes.readableBytes());
        } else {
            writeBody(upstream, bytes);
            upstream.channel().flush();
        }
    }

    /// The node asks for the body: from now on its outcome is the node's alone.
    private void bodyAsked(UpstreamConnection by) {
        if (asked) {
            return;
        }
        asked = true;
        exchange.received().sendContinue();
        for (var bytes = early.poll(); bytes != null; bytes = early.poll()) {
            budget.release(bytes.readableBytes());
            writeBody(by, bytes);
        }
        endBody(by);
        by.channel().flush();
        exchange.resumeReading();
    }

    private void writeBody(UpstreamConnection to, ByteBuf bytes) {
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
        if (upstream != null && asked && !over) {
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
            Unawaited.write(to.channel(), Chunk.last(to.channel(), trailers));
        }
    }

    @Override
    public boolean wantsMore() {
        return over || (upstream != null && asked && takesMore(upstream.channel()));
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
            if (status == 100 && upstream != null) {
                bodyAsked(upstream);
            }
            return;
        }
        if (status == 503 && !asked && head.headers().contains(Route.NOT_PRIMARY)) {
            dropNode();
            elsewhere(new IOException("the node is not the primary"), sentAt);
            return;
        }
        long length = HttpUtil.isTransferEncodingChunked(head) ? -1 : HttpUtil.getContentLength(head, -1L);
        reusable = HttpUtil.isKeepAlive(head);
        answerChunked = length < 0 && !exchange.isHead() && status != 204 && status != 304 && !exchange.http10();
        var response = new Response(status, RelayedHead.endToEnd(head.headers()), ResponseBody.NONE);
        try {
            exchange.write(exchange.writeHead(response, length, 0));
        } catch (RuntimeException unsendable) {
            dropNode();
            giveUp(new IOException("the node's answer cannot be passed on", unsendable), !reads());
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
        watch.remove(this);
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
        dropNode();
        if (over) {
            return;
        }
        if (answerBegun) {
            stop();
            exchange.abort("relayed from " + stage.node() + ": " + cause.getMessage());
        } else if (!surelyNotDone()) {
            giveUp(cause, true);
        } else if (reused) {
            connect(); // the idle connection had turned stale
        } else if (passes() && !connectedAgain) {
            connectedAgain = true;
            connect(); // away is one that cannot be connected to
        } else {
            elsewhere(cause, System.nanoTime());
        }
    }

    private void dropNode() {
        var gone = upstream;
        upstream = null;
        if (gone != null && reads()) {
            gone.reset();
        } else if (gone != null) {
            gone.close();
        }
    }

    /// Of a request whose head was sent.
    private boolean surelyNotDone() {
        return reads() || (forward.route().needsBody() && exchange.head().hasBody() && !asked);
    }

    private boolean reads() {
        return exchange.onlyReads();
    }

    /// It is surely not carried out: to the node that has it now, or will have it soon.
    ///
    /// @param since when it began to wait, at the node or here
    private void elsewhere(IOException cause, long since) {
        if (over) {
            return;
        }
        if (!forward.route().mayMove() || !watch.park()) {
            giveUp(cause, false);
            return;
        }
        parked = Optional.of(cause);
        waitsSince = since;
        follow(System.nanoTime(), false);
    }

    /// Of a parked one: goes on when the way leads elsewhere, or by a newer map to the same node.
    ///
    /// @param again whether the same node may be tried again
    private void follow(long now, boolean again) {
        var next = forward.route().now();
        boolean same = next.node().equals(stage.node());
        long waitedBy = waited + now - waitsSince;
        boolean late = waitedBy > PATIENCE.toNanos();
        boolean tryAgain = again && !late && next.version() > stage.version();
        if (!forward.route().isDown(next) && (!same || tryAgain)) {
            unpark();
            waited = waitedBy;
            stage = next;
            watch.metrics().relayFollowed();
            send();
        } else if (late) {
            giveUp(parked.orElseThrow(), false);
        }
    }

    // ---- reads whose node is away

    private boolean passes() {
        return reads() && forward.route().ping(stage).isPresent();
    }

    /// To the next node that can answer.
    private boolean goPast() {
        var next = reads() ? forward.route().past(stage) : Optional.<Route.Stage>empty();
        if (next.isEmpty()) {
            return false;
        }
        LOG.debug("{} goes past {}", exchange.head().requestId(), stage.node());
        dropNode();
        stage = next.get();
        watch.metrics().relayFollowed();
        send();
        return true;
    }

    private void lookPast(long now) {
        if (forward.route().isDown(stage) && goPast()) {
            return;
        }
        if (!pinged && now - heardAt > SILENT.toNanos()) {
            var at = stage;
            forward.route().ping(at).ifPresent(ping -> {
                pinged = true;
                pings.ask(client.eventLoop(), at.node(), ping, answered -> pinged(at, answered));
            });
        }
    }

    private void pinged(Route.Stage at, boolean answered) {
        if (over || answerBegun || !at.equals(stage)) {
            return;
        }
        heardAt = System.nanoTime();
        pinged = false;
        try {
            if (!answered) {
                var _ = goPast(); // without another one it goes on waiting
            }
        } catch (RuntimeException fault) {
            broken(fault);
        }
    }

    private void unpark() {
        if (parked.isPresent()) {
            parked = Optional.empty();
            watch.unpark();
        }
    }

    private void giveUp(IOException cause, boolean unknown) {
        if (over) {
            return;
        }
        stop();
        LOG.warn("{} cannot be relayed to {}: {}", exchange.head().requestId(), stage.node(), cause.getMessage());
        exchange.respondToFailure(answers -> answers.unreachable(exchange.head(), unknown));
    }

    /// Ten times a second.
    void look(long now) {
        if (parked.isPresent()) {
            follow(now, true);
        } else if (!answerBegun && hasMoved()) {
            boolean sent = upstream != null;
            dropNode();
            var cause = new IOException("the node is down, or another one has this now");
            if (!sent || surelyNotDone()) {
                elsewhere(cause, now);
            } else {
                giveUp(cause, true);
            }
        } else {
            watchNode(now);
            if (!over && !answerBegun && reads()) {
                lookPast(now);
            }
        }
    }

    /// Whether nothing more is to be expected from the node, or not from it alone.
    private boolean hasMoved() {
        if (!forward.route().mayMove()) {
            return false;
        }
        boolean elsewhereToo = upstream == null || surelyNotDone();
        return forward.route().isDown(stage)
                || (elsewhereToo && !forward.route().now().node().equals(stage.node()));
    }

    private void watchNode(long now) {
        boolean waits = bodyDoneUpstream || !asked;
        boolean nodeOwes = upstream != null && (!upstream.channel().isWritable() || (waits && takesMore(client)));
        if (!nodeOwes) {
            activeAt = now;
        } else if (now - activeAt > patience().toNanos()) {
            reused = false;
            connectedAgain = true; // it had its time
            if (answerBegun) {
                watch.metrics().relayBrokenOff();
            }
            lost(new IOException("the node is silent"));
        }
    }

    /// How long the node may owe something.
    private Duration patience() {
        var route = forward.route();
        var limit = exchange.engine().config().forwardTimeout();
        var brief = route.mayMove() && route.isDown(stage) ? PAUSE_WHEN_DOWN : PAUSE;
        boolean isBrief = route.mayMove() ? answerBegun : route.isDown(stage);
        return isBrief && brief.compareTo(limit) < 0 ? brief : limit;
    }

    /// A fault of ours must not end the watch over the others.
    void broken(RuntimeException fault) {
        LOG.error("request {}: its relay failed", exchange.head().requestId(), fault);
        stop();
        exchange.abort("its relay failed");
    }

    @Override
    public void disconnected() {
        stop();
    }

    private void stop() {
        over = true;
        watch.remove(this);
        unpark();
        releaseEarly();
        dropNode();
    }

    private void releaseEarly() {
        for (var bytes = early.poll(); bytes != null; bytes = early.poll()) {
            budget.release(bytes.readableBytes());
            bytes.release();
        }
    }
}
