package dev.sluice.common.http.engine;

import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.Streamed;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Sends a body that a writer makes on a virtual thread. What the writer wrote and the client has not taken is bounded;
/// beyond it the writer waits. The head leaves with the first bytes, so that a writer failing before them still
/// becomes an honest error answer; a failure after them cuts the connection.
final class StreamedSending implements Sending, ByteSink, Runnable {
    private static final int PIECE = 256 << 10;
    private static final int SMALLEST_PIECE = 4 << 10;
    private static final int HELD_AT_MOST = 2 * PIECE;
    private static final int HELD_WHEN_SHORT = 16 << 10;

    private final Exchange exchange;
    private final Channel channel;
    private final Response response;
    private final Streamed body;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>();
    /// Bytes accepted from the writer and not yet taken by the kernel.
    private long held;
    private boolean drainScheduled;
    private @Nullable IOException broken;

    /// The writer's thread's own.
    private long written;

    /// The event loop's own.
    private boolean headSent;

    StreamedSending(Exchange exchange, Response response, Streamed body) {
        this.exchange = exchange;
        this.channel = exchange.channel();
        this.response = response;
        this.body = body;
    }

    @Override
    public double shortage() {
        return body.writer().shortage();
    }

    private boolean lengthKnown() {
        return body.length() >= 0;
    }

    private boolean chunked() {
        return !lengthKnown() && !exchange.http10();
    }

    // ---- the writer's thread

    @Override
    public void run() {
        try {
            body.writer().writeTo(this);
            if (lengthKnown() && written != body.length()) {
                throw new IOException(
                        "the writer made " + written + " bytes, not the " + body.length() + " it promised");
            }
        } catch (Throwable thrown) {
            exchange.onLoop(() -> failed(thrown));
            return;
        }
        exchange.onLoop(this::finished);
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
        promised(bytes.remaining());
        while (bytes.hasRemaining()) {
            if (accept(bytes)) {
                exchange.onLoop(this::drain);
            }
        }
    }

    @Override
    public int write(int most, Content content) throws IOException {
        int count;
        lock.lock();
        try {
            count = Math.min(Math.min(most, PIECE), awaitRoom());
            take(count);
        } finally {
            lock.unlock();
        }
        int unused = count;
        var piece = channel.alloc().directBuffer(count);
        try {
            var into = piece.nioBuffer(0, count);
            content.read(into);
            int read = into.position();
            promised(read);
            if (add(piece.writerIndex(read).retain())) {
                exchange.onLoop(this::drain);
            }
            unused = count - read;
            return read;
        } finally {
            piece.release();
            giveUp(unused);
        }
    }

    /// True when the loop must be told.
    private boolean add(ByteBuf piece) throws IOException {
        lock.lock();
        try {
            if (broken != null) {
                piece.release();
                throw new IOException(broken.getMessage(), broken);
            }
            pieces.add(piece);
            return tellsLoop();
        } finally {
            lock.unlock();
        }
    }

    /// Copies what there is room for; true when the loop must be told.
    private boolean accept(ByteBuffer bytes) throws IOException {
        lock.lock();
        try {
            int room = awaitRoom();
            var piece = pieceWithRoom(Math.min(bytes.remaining(), room));
            int count = Math.min(Math.min(bytes.remaining(), piece.maxWritableBytes()), room);
            piece.writeBytes(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            take(count);
            return tellsLoop();
        } finally {
            lock.unlock();
        }
    }

    private void promised(int bytes) throws IOException {
        written += bytes;
        if (lengthKnown() && written > body.length()) {
            throw new IOException("the writer makes more than the " + body.length() + " bytes it promised");
        }
    }

    /// Waits until some more bytes may be held.
    private int awaitRoom() throws IOException {
        try {
            while (broken == null && held >= limit()) {
                room.await();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the client");
        }
        if (broken != null) {
            throw new IOException(broken.getMessage(), broken);
        }
        return (int) Math.max(1, limit() - held);
    }

    private long limit() {
        return exchange.engine().budget().exhausted() ? HELD_WHEN_SHORT : HELD_AT_MOST;
    }

    private ByteBuf pieceWithRoom(int wanted) {
        var last = pieces.peekLast();
        if (last != null && last.maxWritableBytes() > 0) {
            return last;
        }
        var fresh = channel.alloc().directBuffer(Math.clamp(wanted, SMALLEST_PIECE, PIECE), PIECE);
        pieces.add(fresh);
        return fresh;
    }

    private void take(int bytes) {
        held += bytes;
        exchange.engine().budget().charge(bytes);
    }

    private boolean tellsLoop() {
        boolean tell = !drainScheduled;
        drainScheduled = true;
        return tell;
    }

    // ---- the event loop

    private void drain() {
        var ready = new ArrayDeque<ByteBuf>();
        lock.lock();
        try {
            drainScheduled = false;
            ready.addAll(pieces);
            pieces.clear();
        } finally {
            lock.unlock();
        }
        if (ready.isEmpty()) {
            return;
        }
        if (exchange.isOver() || !sendHead()) {
            ready.forEach(each -> {
                giveUp(each.readableBytes());
                each.release();
            });
            return;
        }
        for (var piece : ready) {
            int size = piece.readableBytes();
            exchange.engine().budget().release(size); // what is written is charged by WrittenBytes
            writePiece(piece).addListener(done -> {
                left(size);
                if (!done.isSuccess()) {
                    disconnected();
                    Unawaited.close(channel);
                }
            });
        }
        channel.flush();
    }

    private ChannelFuture writePiece(ByteBuf piece) {
        exchange.count(piece.readableBytes());
        if (!chunked()) {
            return channel.write(piece);
        }
        var sent = channel.newPromise();
        Chunk.write(channel, piece, sent);
        return sent;
    }

    /// False when the head cannot be written; the failure is answered then.
    private boolean sendHead() {
        if (headSent) {
            return true;
        }
        try {
            exchange.write(exchange.writeHead(response, lengthKnown() ? body.length() : AnswerHead.CHUNKED, 0));
        } catch (RuntimeException unsendable) {
            disconnected();
            exchange.fail(unsendable);
            return false;
        }
        headSent = true;
        return true;
    }

    private void finished() {
        drain();
        if (exchange.isOver() || !sendHead()) {
            return;
        }
        var end = chunked() ? Chunk.last() : channel.alloc().buffer(0);
        exchange.writeAndFlush(end, end.readableBytes()).addListener(done -> {
            if (done.isSuccess()) {
                exchange.answerSent();
            } else {
                Unawaited.close(channel);
            }
        });
    }

    private void failed(Throwable cause) {
        disconnected();
        exchange.fail(cause);
    }

    private void giveUp(int bytes) {
        exchange.engine().budget().release(bytes);
        left(bytes);
    }

    private void left(int bytes) {
        lock.lock();
        try {
            held -= bytes;
            room.signal();
        } finally {
            lock.unlock();
        }
    }

    /// Wakes the writer with a failure; what it wrote and nobody will take is thrown away.
    @Override
    public void disconnected() {
        lock.lock();
        try {
            if (broken == null) {
                broken = new IOException("the client is gone");
            }
            for (var piece = pieces.poll(); piece != null; piece = pieces.poll()) {
                held -= piece.readableBytes();
                exchange.engine().budget().release(piece.readableBytes());
                piece.release();
            }
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
