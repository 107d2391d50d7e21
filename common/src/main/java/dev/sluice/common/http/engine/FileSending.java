package dev.sluice.common.http.engine;

import dev.sluice.common.http.FileSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Sends a part of a file. Small parts are copied into one write with the head. Larger ones go in windows: the
/// first is made ready before the head leaves, each next one while the present one is being sent, so that the
/// loop never waits for a drive. Windows end where the file's own windows end, so that each checksum block is
/// prepared once. Long windows pass through user space while there is memory for it, short ones go from the
/// page cache to the socket in the kernel (decision 0012). The file is closed once, when neither a write nor a
/// preparation uses it. Event loop only.
final class FileSending implements Sending {
    /// What passes through user space does so in pieces. With TLS everything does.
    private static final int TLS_PIECE = 128 << 10;

    private static final int PLAIN_PIECE = 256 << 10;

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
            failed(failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure);
        }
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
                copyWhole();
            } else {
                if (exchange.isUndecided()) {
                    exchange.write(exchange.writeHead(response, length, 0));
                }
                writeWindow();
            }
        } catch (IOException | RuntimeException thrown) {
            failed(thrown);
        }
    }

    private void copyWhole() throws IOException {
        var out = exchange.writeHead(response, length, (int) length);
        try {
            readFully(out, position, (int) length);
        } catch (IOException | RuntimeException unreadable) {
            out.release();
            exchange.takeBackHead();
            throw unreadable;
        }
        finish();
        exchange.sendWhole(out);
    }

    private void readFully(ByteBuf out, long from, int count) throws IOException {
        int read = 0;
        while (read < count) {
            int now = out.writeBytes(file.channel(), from + read, count - read);
            if (now <= 0) {
                throw new EOFException("the file ends before byte " + (from + count));
            }
            read += now;
        }
    }

    private void writeWindow() throws IOException {
        int count = windowLength();
        long from = position;
        position += count;
        writing = true;
        if (secure || (count >= PLAIN_PIECE && !exchange.engine().budget().exhausted())) {
            writePieces(from, from + count);
        } else {
            var range = new SentRange(file.channel(), from, count);
            exchange.writeAndFlush(range, count).addListener(done -> written((ChannelFuture) done));
        }
        if (position < end && !over) {
            prepareNext();
        }
    }

    private void writePieces(long from, long to) throws IOException {
        int count = (int) Math.min(secure ? TLS_PIECE : PLAIN_PIECE, to - from);
        var piece = channel.alloc().directBuffer(count);
        try {
            readFully(piece, from, count);
        } catch (IOException | RuntimeException unreadable) {
            piece.release();
            writing = false;
            throw unreadable;
        }
        exchange.engine().budget().charge(count);
        exchange.writeAndFlush(piece, count).addListener(done -> {
            exchange.engine().budget().release(count);
            if (done.isSuccess() && from + count < to) {
                try {
                    writePieces(from + count, to);
                } catch (IOException | RuntimeException unreadable) {
                    failed(unreadable);
                }
            } else {
                written((ChannelFuture) done);
            }
        });
    }

    private void written(ChannelFuture done) {
        writing = false;
        if (!done.isSuccess()) {
            boolean ours = fileTooShort();
            finish();
            if (ours) {
                exchange.fail(done.cause());
            } else {
                exchange.clientLost(done.cause());
            }
        } else if (over) {
            finish();
        } else if (position >= end) {
            finish();
            exchange.answerSent();
        } else {
            advance();
        }
    }

    /// Tells our fault from the client's when a write fails: the kernel's error may be either.
    private boolean fileTooShort() {
        try {
            return file.channel().size() < end;
        } catch (IOException unreadable) {
            return true;
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
