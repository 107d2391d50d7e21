package dev.sluice.common.http.engine;

import dev.sluice.common.http.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// What arrives of one request after its head: who takes it, whether the client was asked for it, and how much is still
/// to come. Event loop only.
final class ReceivedBody {
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /// An unread rest of a body up to this length is received for the sake of keeping the connection.
    private static final long SMALL_REST = 64 << 10;

    private final Connection connection;
    private final RequestReader request;
    private final RequestHead head;

    private BodyConsumer consumer = BodyConsumer.DISCARD;
    private long length;
    private boolean continueSent;
    private boolean ended;

    ReceivedBody(Connection connection, RequestReader request) {
        this.connection = connection;
        this.request = request;
        this.head = request.head();
    }

    /// Bytes so far.
    long length() {
        return length;
    }

    /// True when the whole request has arrived.
    boolean hasEnded() {
        return ended;
    }

    void content(ByteBuf bytes) {
        length += bytes.readableBytes();
        consumer.content(bytes);
    }

    void end(HttpHeaders trailers) {
        ended = true;
        consumer.end(trailers);
    }

    void failed(IOException cause) {
        consumer.failed(cause);
        consumer = BodyConsumer.DISCARD;
    }

    void takenBy(BodyConsumer next) {
        consumer = next;
    }

    /// Nobody wants it any more. The rest must still be read: whoever took it may have held the client back, and the
    /// next request waits behind it.
    void discard() {
        consumer = BodyConsumer.DISCARD;
        if (!ended) {
            connection.readIfWanted();
        }
    }

    boolean wantsMore() {
        return ended || consumer.wantsMore();
    }

    /// Somebody reads it; a client that waits to be asked for it is asked.
    void pulled() {
        if (length == 0 && !ended) {
            sendContinue();
        }
    }

    void sendContinue() {
        var channel = connection.channel();
        if (!continueSent && request.expectsContinue() && channel.isActive()) {
            continueSent = true;
            Unawaited.write(channel, Unpooled.wrappedBuffer(CONTINUE));
            channel.flush();
        }
    }

    private boolean waitsToBeAsked() {
        return request.expectsContinue() && !continueSent && length == 0;
    }

    /// True while the client owes a part of it; not while it waits to be asked for it.
    boolean isAwaited() {
        return !ended && !waitsToBeAsked();
    }

    /// Whether the rest is so small, or surely on its way, that the next request can be waited for.
    boolean canSkipRest() {
        if (ended || !head.hasBody()) {
            return true;
        }
        if (waitsToBeAsked()) {
            return false;
        }
        return head.contentLength() > 0 && head.contentLength() - length <= SMALL_REST;
    }
}
