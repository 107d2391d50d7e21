package dev.sluice.common.http.engine;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.unix.UnixChannel;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Sends a part of a file. Small parts are copied into one write with the head. Larger ones go in windows: the
/// first is made ready before the head leaves, each next one while the present one is being sent, so that the
/// loop never waits for a drive. Windows end where the file's own windows end, so that each checksum block is
/// prepared once. Long windows are sent in pieces, each copied from the page cache when its turn comes; short ones are
/// handed from there to the socket, as far as it takes them at once. What has left the page cache meanwhile is read and
/// verified again by the drive's threads (decision 0027). The file is closed once, when
/// nobody uses it. Event loop only.
final class FileSending implements Sending {
    private static final int TLS_PIECE = 128 << 10;
    private static final int PLAIN_PIECE = 256 << 10;
    /// While the memory for bodies is used up.
    private static final int SMALLEST_PIECE = 16 << 10;

    private final Exchange exchange;
    private final Channel channel;
    private final Response response;
    private final FileSource file;
    private final long length;
    private final long end;
    private final boolean secure;

    /// Where the next window to be written begins.
    private long position;
    private boolean nextReady;
    private boolean writing;
    private boolean preparing;
    private boolean advancing;
    private boolean over;
    private boolean closed;

    FileSending(Exchange exchange, Response response, FileRange range) {
        this.exchange = exchange;
        this.channel = exchange.channel();
        this.response = response;
        this.file = range.file();
        this.length = range.length();
        this.position = range.offset();
        this.end = range.offset() + range.length();
        this.secure = exchange.head().secure();
    }

    void begin() {
        prepareNext();
    }

    @Override
    public double shortage() {
        return file.shortage();
    }

    private int windowLength() {
        long boundary = (position / FileSource.WINDOW + 1) * FileSource.WINDOW;
        return (int) (Math.min(boundary, end) - position);
    }

    /// Short parts are one window even where they cross a boundary.
    private boolean copied() {
        return length <= exchange.engine().config().copyBelow();
    }

    private void prepareNext() {
        int count = copied() ? (int) length : windowLength();
        CompletionStage<?> prepared;
        try {
            if (file.ready(position, count)) {
                ready();
                return;
            }
            prepared = file.prepare(position, count);
        } catch (RuntimeException thrown) {
            failed(thrown);
            return;
        }
        preparing = true;
        prepared.whenComplete((_, failure) -> {
            if (!exchange.onLoop(() -> prepared(failure))) {
                file.close();
            }
        });
    }

    private void prepared(@Nullable Throwable failure) {
        preparing = false;
        if (over || exchange.isOver()) {
            finish();
        } else if (failure == null) {
            ready();
        } else {
            failed(cause(failure));
        }
    }

    private static Throwable cause(Throwable failure) {
        return Await.reason(failure);
    }

    /// The window at `position` may be sent.
    private void ready() {
        nextReady = true;
        advance();
    }

    /// A loop, not a recursion: a fast client lets thousands of windows complete at once.
    private void advance() {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            while (nextReady && !writing && !over) {
                writeNext();
            }
        } finally {
            advancing = false;
        }
    }

    private void writeNext() {
        nextReady = false;
        try {
            if (copied()) {
                sendWhole();
            } else {
                if (exchange.isUndecided()) {
                    exchange.write(exchange.writeHead(response, length, 0));
                }
                writeWindow();
            }
        } catch (RuntimeException thrown) {
            failed(thrown);
        }
    }

    private void sendWhole() {
        var out = exchange.writeHead(response, length, (int) length);
        boolean copied = false;
        try {
            copied = copy(position, (int) length, out);
        } finally {
            if (!copied) {
                out.release();
                exchange.takeBackHead();
            }
        }
        if (copied) {
            finish();
            exchange.sendWhole(out);
        } else {
            fetch(position, (int) length, this::sendFetched);
        }
    }

    private void sendFetched(ByteBuf body) {
        finish();
        exchange.write(exchange.writeHead(response, length, 0));
        exchange.sendWhole(body);
    }

    private void writeWindow() {
        int count = windowLength();
        long from = position + sentAtOnce(count);
        position += count;
        if (from < position) {
            writePieces(from, position);
        } else if (position >= end) {
            finish();
            exchange.answerSent();
        }
        if (position < end && !over) {
            prepareNext();
        }
    }

    /// Short windows are cheaper for the kernel to send. It gets them only while it can do so at once: what waited for
    /// the client could leave the page cache meanwhile.
    private long sentAtOnce(int count) {
        if (secure || count >= PLAIN_PIECE || !(channel instanceof UnixChannel socket)) {
            return 0;
        }
        channel.flush();
        var before = channel.unsafe().outboundBuffer();
        if (before == null || !before.isEmpty()) {
            return 0;
        }
        long sent = file.send(position, count, socket.fd().intValue());
        exchange.count(sent);
        return sent;
    }

    private void writePieces(long from, long to) {
        int count = (int) Math.min(pieceLength(), to - from);
        var piece = channel.alloc().directBuffer(count);
        boolean copied = false;
        try {
            copied = copy(from, count, piece);
        } finally {
            if (!copied) {
                piece.release();
            }
        }
        if (copied) {
            writePiece(piece, from + count, to);
        } else {
            fetch(from, count, fetched -> writePiece(fetched, from + count, to));
        }
    }

    private int pieceLength() {
        return exchange.engine().budget().exhausted() ? SMALLEST_PIECE : secure ? TLS_PIECE : PLAIN_PIECE;
    }

    private boolean copy(long from, int count, ByteBuf into) {
        boolean copied = file.copy(from, into.internalNioBuffer(into.writerIndex(), count));
        if (copied) {
            into.writerIndex(into.writerIndex() + count);
        }
        return copied;
    }

    /// What is not in memory any more comes from the drive's threads, verified on its way.
    private void fetch(long from, int count, Consumer<ByteBuf> then) {
        var budget = exchange.engine().budget();
        var piece = channel.alloc().directBuffer(count);
        CompletionStage<?> fetched;
        try {
            fetched = file.fetch(from, piece.nioBuffer(0, count));
        } catch (RuntimeException thrown) {
            piece.release();
            throw thrown;
        }
        writing = true;
        budget.charge(count);
        fetched.whenComplete((_, failure) -> {
            budget.release(count);
            if (!exchange.onLoop(() -> fetched(piece.writerIndex(count), failure, then))) {
                piece.release();
                file.close();
            }
        });
    }

    private void fetched(ByteBuf piece, @Nullable Throwable failure, Consumer<ByteBuf> then) {
        writing = false;
        if (failure == null && !over && !exchange.isOver()) {
            try {
                then.accept(piece);
            } catch (RuntimeException thrown) {
                failed(thrown);
            }
            return;
        }
        piece.release();
        if (failure == null || over || exchange.isOver()) {
            finish();
        } else {
            failed(cause(failure));
        }
    }

    private void writePiece(ByteBuf piece, long next, long to) {
        writing = true;
        exchange.writeAndFlush(piece, piece.readableBytes()).addListener(done -> {
            writing = false;
            if (done.isSuccess() && next < to && !over) {
                try {
                    writePieces(next, to);
                } catch (RuntimeException unreadable) {
                    failed(unreadable);
                }
            } else {
                written((ChannelFuture) done);
            }
        });
    }

    private void written(ChannelFuture done) {
        if (!done.isSuccess()) {
            finish();
            exchange.clientLost(done.cause());
        } else if (over) {
            finish();
        } else if (position >= end) {
            finish();
            exchange.answerSent();
        } else {
            advance();
        }
    }

    private void failed(Throwable cause) {
        finish();
        exchange.fail(cause);
    }

    @Override
    public void disconnected() {
        finish();
    }

    /// No more is sent. The file is closed when the last user has let it go.
    private void finish() {
        over = true;
        if (!writing && !preparing && !closed) {
            closed = true;
            file.close();
        }
    }
}
