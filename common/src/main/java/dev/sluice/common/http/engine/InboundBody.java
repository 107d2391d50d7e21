package dev.sluice.common.http.engine;

import dev.sluice.common.http.ByteSource;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A request's body on its way from the event loop to the thread that reads it: a bounded queue. The first pull tells
/// the exchange, which then asks the client for the body if it waits to be asked.
final class InboundBody implements ByteSource, BodyConsumer {
    private static final int COLLECTED = 32 << 10;
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final Exchange exchange;
    private final int limit;
    private final MemoryBudget budget;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<ByteBuf> queue = new ArrayDeque<>();
    private long queued;
    private boolean heldBack;

    /// Until the next pull nothing more is read than has been.
    private boolean waits;

    private boolean pulled;
    private boolean ended;
    private boolean closed;
    private @Nullable IOException failure;
    private volatile boolean abandoned;

    /// The event loop's own.
    private Optional<Runnable> whenReadable = Optional.empty();

    /// The bytes that the reader holds until it asks for more; its thread's own.
    private @Nullable Lent lent;
    /// Of what was read, bytes that count as still in memory; its thread's own.
    private int collected;

    /// One buffer in the hands of the reader, and of whoever it is kept for.
    private final class Lent {
        private final ByteBuf bytes;
        private final int length;
        private final AtomicInteger holders = new AtomicInteger(1);

        Lent(ByteBuf bytes) {
            this.bytes = bytes;
            this.length = bytes.readableBytes();
        }

        void release() {
            if (holders.decrementAndGet() == 0) {
                budget.release(length);
                bytes.release();
            }
        }
    }

    InboundBody(Exchange exchange, int limit, MemoryBudget budget) {
        this.exchange = exchange;
        this.limit = limit;
        this.budget = budget;
    }

    /// Runs this once, when waiting for more would be in vain: all is there, or there will be no more, or the client is
    /// held back. Event loop only.
    void whenReadable(Runnable start) {
        whenReadable = Optional.of(start);
    }

    private void readable() {
        var start = whenReadable;
        whenReadable = Optional.empty();
        start.ifPresent(Runnable::run);
    }

    @Override
    public ByteBuffer next() throws IOException {
        returnLent();
        boolean resume;
        lock.lock();
        try {
            if (!pulled) {
                pulled = true;
                if (exchange.asksForBody()) {
                    exchange.onLoop(exchange::bodyPulled);
                }
            }
            while (queue.isEmpty() && !ended && !closed && failure == null) {
                changed.await();
            }
            if (failure != null) {
                throw new IOException(failure.getMessage(), failure);
            }
            var next = closed ? null : queue.poll();
            if (next == null) {
                return END.duplicate();
            }
            lent = new Lent(next);
            queued -= lent.length;
            waits = false;
            resume = heldBack && hasMuchRoom();
            if (resume) {
                heldBack = false;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the request's body");
        } finally {
            lock.unlock();
        }
        if (resume) {
            exchange.onLoop(exchange::resumeReading);
        }
        return lent.bytes.nioBuffer();
    }

    @Override
    public Optional<Kept> keep() {
        if (lent == null || budget.scarce()) {
            return Optional.empty();
        }
        lent.holders.incrementAndGet();
        return Optional.of(lent::release);
    }

    private void returnLent() {
        if (lent != null) {
            chargeCollected(lent.length);
            lent.release();
            lent = null;
        }
    }

    /// Readers collect short bodies: they count until they are closed.
    private void chargeCollected(int read) {
        if (exchange.head().contentLength() <= COLLECTED && exchange.head().contentLength() > 0) {
            collected += read;
            budget.charge(read);
        }
    }

    /// Whether the client is to send again: not for each buffer that is taken, which would wake the event loop
    /// for each.
    private boolean hasMuchRoom() {
        return queue.isEmpty() || (queued <= limit / 2 && !budget.exhausted());
    }

    private boolean hasRoom() {
        return queue.isEmpty() || (queued < limit && !waits && !budget.exhausted());
    }

    @Override
    public void holdBack() {
        lock.lock();
        try {
            waits = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean abandoned() {
        return abandoned;
    }

    /// From now on everything that arrives is thrown away.
    @Override
    public void close() {
        returnLent();
        budget.release(collected);
        collected = 0;
        boolean rest;
        lock.lock();
        try {
            closed = true;
            rest = !ended;
            heldBack = false;
            changed.signalAll();
            for (var bytes = queue.poll(); bytes != null; bytes = queue.poll()) {
                budget.release(bytes.readableBytes());
                bytes.release();
            }
        } finally {
            lock.unlock();
        }
        if (rest) {
            exchange.onLoop(exchange::resumeReading);
        }
    }

    boolean pulled() {
        lock.lock();
        try {
            return pulled;
        } finally {
            lock.unlock();
        }
    }

    /// Hands what has arrived to another consumer, which gets the rest too. Only when nobody reads here.
    void handOverTo(BodyConsumer next) {
        var arrived = new ArrayDeque<ByteBuf>();
        boolean all;
        lock.lock();
        try {
            arrived.addAll(queue);
            queue.clear();
            all = ended;
            closed = true;
        } finally {
            lock.unlock();
        }
        for (var bytes : arrived) {
            budget.release(bytes.readableBytes());
            next.content(bytes);
        }
        if (all) {
            next.end(EmptyHttpHeaders.INSTANCE);
        }
    }

    @Override
    public void content(ByteBuf bytes) {
        lock.lock();
        try {
            if (closed || !bytes.isReadable()) {
                bytes.release();
                return;
            }
            queue.add(bytes);
            queued += bytes.readableBytes();
            budget.charge(bytes.readableBytes());
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void end(HttpHeaders trailers) {
        lock.lock();
        try {
            ended = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        readable();
    }

    @Override
    public void failed(IOException cause) {
        abandoned = true;
        lock.lock();
        try {
            if (!ended) {
                failure = cause;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
        readable();
    }

    @Override
    public boolean wantsMore() {
        boolean hold;
        lock.lock();
        try {
            hold = !closed && !hasRoom();
            heldBack = hold;
        } finally {
            lock.unlock();
        }
        if (hold) {
            readable();
        }
        return !hold;
    }
}
