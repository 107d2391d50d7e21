package dev.sluice.common.http.engine;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.CutShortException;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.ResponseBody.FileRange;
import dev.sluice.common.http.ResponseBody.Streamed;
import dev.sluice.common.store.StoreException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One request and its answer: asks the handler, sends what it answers, and settles what becomes of the connection.
/// Event loop only, but for [#onLoop]. What blocks is in [HandlerCall].
final class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    /// Bodies at hand up to this length share a buffer with the head.
    private static final int COPIED_BODY = 16 << 10;
    /// Work on a request whose body is no longer than this starts when the body is there, so that it need not wait.
    private static final int AWAITED_BODY = 32 << 10;

    private final Engine engine;
    private final Connection connection;
    private final Channel channel;
    private final RequestReader request;
    private final RequestHead head;
    private final long begunAt = System.nanoTime();

    private final ReceivedBody received;
    /// What must hear of a lost connection and of room in the socket while it answers.
    private @Nullable Sending sending;

    private long bytesOut;
    private int status;
    private boolean keepAlive;
    private boolean answerSent;
    private boolean concluded;

    Exchange(Engine engine, Connection connection, RequestReader request) {
        this.engine = engine;
        this.connection = connection;
        this.channel = connection.channel();
        this.request = request;
        this.head = request.head();
        this.received = new ReceivedBody(connection, request);
    }

    Engine engine() {
        return engine;
    }

    Channel channel() {
        return channel;
    }

    RequestHead head() {
        return head;
    }

    ReceivedBody received() {
        return received;
    }

    boolean http10() {
        return request.http10();
    }

    boolean isHead() {
        return request.isHead();
    }

    boolean onlyReads() {
        return request.onlyReads();
    }

    void begin() {
        if (engine.budget().full() && !engine.handler().isVital(head)) {
            respondToFailure(answers -> answers.failed(
                    head, new StoreException.Unavailable("the memory for bodies (limits.body_memory) is used up")));
            return;
        }
        Answer now;
        try {
            now = engine.handler().answer(head);
        } catch (Throwable thrown) {
            fail(thrown);
            return;
        }
        if (!(now instanceof Blocking(var work))) {
            answer(now);
            return;
        }
        var body = new InboundBody(this, engine.config().inboundQueueBytes(), engine.budget());
        received.takenBy(body);
        var call = starting(new HandlerCall(this, work, body), body);
        if (head.contentLength() > 0 && head.contentLength() <= AWAITED_BODY && !request.expectsContinue()) {
            body.whenReadable(call);
        } else {
            call.run();
        }
    }

    private Runnable starting(HandlerCall call, InboundBody body) {
        var threads = engine.handler().threads(head);
        if (threads.isEmpty()) {
            return Thread.ofVirtual().name(head.requestId()).unstarted(call)::start;
        }
        return () -> {
            try {
                threads.get().execute(call);
            } catch (RejectedExecutionException full) {
                body.close();
                fail(new StoreException.Unavailable("too many requests of this kind wait"));
            }
        };
    }

    /// False when the loop has ended and the task will never run.
    boolean onLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
            return true;
        } catch (RejectedExecutionException ended) {
            LOG.debug("request {} outlived the event loops", head.requestId());
            return false;
        }
    }

    // ---- the request's body

    void requestEnded(HttpHeaders trailers) {
        received.end(trailers);
        if (answerSent) {
            settle();
        }
    }

    void malformedBody(Throwable cause) {
        boolean answerBegun = status != 0;
        if (answerSent && !concluded) {
            conclude(status, true);
            connection.closeGracefully(false);
            return;
        }
        received.failed(new MalformedBodyException(cause));
        if (answerBegun || concluded) {
            connection.abort();
            return;
        }
        conclude(400, true);
        connection.refuse(new MalformedRequest(400, "The request's body is malformed."));
        stopSending();
    }

    /// Whether the client may wait to be asked for the body. On any thread.
    boolean asksForBody() {
        return request.expectsContinue();
    }

    void bodyPulled() {
        if (isUndecided()) {
            received.pulled();
        }
    }

    void resumeReading() {
        connection.readIfWanted();
    }

    // ---- the answer

    void answer(Answer answer) {
        switch (answer) {
            case Response response -> respond(response);
            case Forward forward -> forward(forward, Optional.empty());
            case Blocking _ -> throw new IllegalStateException("blocking work is not an answer to send");
        }
    }

    void forward(Forward forward, InboundBody body) {
        forward(forward, Optional.of(body));
    }

    private void forward(Forward forward, Optional<InboundBody> arrived) {
        if (isOver()) {
            arrived.ifPresent(InboundBody::close);
            return;
        }
        var relay = new Relay(this, forward);
        sending = relay;
        received.takenBy(relay);
        arrived.ifPresent(body -> body.handOverTo(relay));
        relay.begin();
    }

    void begin(StreamedSending stream) {
        if (isOver()) {
            stream.disconnected();
            return;
        }
        received.discard();
        sending = stream;
    }

    void respond(Response response) {
        if (isOver()) {
            discard(response);
            return;
        }
        received.discard();
        sending = null;
        try {
            send(response);
        } catch (RuntimeException unsendable) {
            discard(response);
            fail(unsendable);
        }
    }

    private void send(Response response) {
        boolean bodyless = isHead() || response.status() == 204 || response.status() == 304;
        switch (response.body()) {
            case ResponseBody.Bytes(var bytes) when bodyless -> sendWhole(writeHead(response, bytes.remaining(), 0));
            case ResponseBody.Bytes(var bytes)
            when bytes.remaining() <= COPIED_BODY ->
                sendWhole(writeHead(response, bytes.remaining(), bytes.remaining())
                        .writeBytes(bytes.duplicate()));
            case ResponseBody.Bytes(var bytes) -> {
                write(writeHead(response, bytes.remaining(), 0));
                sendWhole(Unpooled.wrappedBuffer(bytes));
            }
            case ResponseBody.LengthOnly(long length) -> {
                if (!bodyless && length != 0) {
                    throw new IllegalStateException("a length without a body in answer to " + head.method());
                }
                sendWhole(writeHead(response, length, 0));
            }
            case FileRange range
            when bodyless || range.length() == 0 -> {
                var out = writeHead(response, range.length(), 0);
                range.file().close();
                sendWhole(out);
            }
            case FileRange range -> {
                var file = new FileSending(this, response, range);
                sending = file;
                file.begin();
            }
            case Streamed streamed when bodyless -> sendWhole(writeHead(response, streamed.length(), 0));
            case Streamed streamed -> {
                var stream = new StreamedSending(this, response, streamed);
                sending = stream;
                Thread.ofVirtual().name(head.requestId()).start(stream);
            }
        }
    }

    /// Encodes the head, with room for as many bytes of body in the same buffer. From here on the answer is decided.
    ///
    /// @param length the body's, or [AnswerHead#CHUNKED]
    ByteBuf writeHead(Response response, long length, int room) {
        var whole = response.with(engine.handler().extraHeaders(head));
        var answer = AnswerHead.of(whole, length, request, !engine.draining() && received.canSkipRest());
        var out = channel.alloc().directBuffer(answer.size() + room);
        try {
            answer.writeTo(out, engine.date());
        } catch (RuntimeException unsendable) {
            out.release();
            throw unsendable;
        }
        status = response.status();
        keepAlive = answer.keepAlive();
        return out;
    }

    /// The head was written into a buffer that will not be sent after all.
    void takeBackHead() {
        status = 0;
    }

    /// Sends an answer that is complete with this buffer.
    void sendWhole(ByteBuf out) {
        write(out);
        connection.flushSoon();
        answerSent();
    }

    /// Writes without waiting; a failure closes the connection.
    void write(ByteBuf out) {
        bytesOut += out.readableBytes();
        Unawaited.write(channel, out);
    }

    void count(long bytes) {
        bytesOut += bytes;
    }

    ChannelFuture writeAndFlush(Object out, long bytes) {
        bytesOut += bytes;
        return channel.writeAndFlush(out);
    }

    void answerSent() {
        sending = null;
        answerSent = true;
        received.discard();
        settle();
    }

    private void settle() {
        if (concluded) {
            return;
        }
        if (!keepAlive) {
            conclude(status, true);
            connection.closeGracefully(received.hasEnded());
        } else if (received.hasEnded()) {
            conclude(status, true);
            connection.next();
        }
    }

    /// The answer could not be made. Before its head has left this becomes an answer of its own, afterwards the
    /// connection is cut.
    void fail(Throwable cause) {
        sending = null;
        if (isOver()) {
            LOG.debug("request {} failed after its client was gone: {}", head.requestId(), cause.toString());
            return;
        }
        log(cause);
        if (status != 0) {
            connection.abort();
            return;
        }
        respondToFailure(answers -> answers.failed(head, cause));
    }

    void respondToFailure(Function<FailureAnswers, Response> toFailure) {
        received.discard();
        Response response;
        try {
            response = toFailure.apply(engine.failures());
        } catch (RuntimeException broken) {
            LOG.error("request {}: no answer to a failure could be made", head.requestId(), broken);
            response = toFailure.apply(FailureAnswers.PLAIN);
        }
        try {
            send(response);
        } catch (RuntimeException unsendable) {
            LOG.error("request {}: the answer to a failure cannot be sent", head.requestId(), unsendable);
            discard(response);
            connection.abort();
        }
    }

    private void log(Throwable cause) {
        if (cause instanceof CutShortException) {
            LOG.debug(
                    "{} {} {} ended early: {}", head.requestId(), head.method(), head.loggedPath(), cause.getMessage());
        } else if (cause instanceof StoreException) {
            LOG.warn("{} {} {} failed: {}", head.requestId(), head.method(), head.loggedPath(), cause.toString());
        } else {
            LOG.error("{} {} {} failed", head.requestId(), head.method(), head.loggedPath(), cause);
        }
    }

    /// A write failed because the client is gone: nobody's fault.
    void clientLost(Throwable cause) {
        LOG.debug("request {} lost its client: {}", head.requestId(), cause.toString());
        connection.abort();
    }

    void abort(String reason) {
        LOG.warn("{} {} {} cut off: {}", head.requestId(), head.method(), head.loggedPath(), reason);
        connection.abort();
    }

    static void discard(Response response) {
        if (response.body() instanceof FileRange range) {
            range.file().close();
        }
    }

    // ---- the connection

    boolean isOver() {
        return concluded || answerSent || !channel.isActive();
    }

    /// True until the head of an answer is written.
    boolean isUndecided() {
        return status == 0;
    }

    void writabilityChanged() {
        if (sending != null) {
            sending.writabilityChanged();
        }
    }

    double shortage() {
        return sending == null ? 0 : sending.shortage();
    }

    void tick(long now) {
        if (sending != null) {
            sending.tick(now);
        }
    }

    void disconnected() {
        received.failed(new IOException("the client broke off the request"));
        stopSending();
        conclude(status, answerSent);
    }

    private void stopSending() {
        var stopped = sending;
        sending = null;
        if (stopped != null) {
            stopped.disconnected();
        }
    }

    private void conclude(int finalStatus, boolean complete) {
        if (concluded) {
            return;
        }
        concluded = true;
        long took = System.nanoTime() - begunAt;
        engine.metrics().requestEnded(head, finalStatus, took, received.length(), bytesOut);
        engine.accessLog().add(head, finalStatus, received.length(), bytesOut, Duration.ofNanos(took), complete);
    }
}
