package dev.sluice.common.s3.body;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSource;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The pieces of a body that were received and that some consumer still needs. Each consumer takes all of them in
/// order, at its own pace; when the fastest is a whole window ahead of the slowest, the receiving thread waits until
/// half of it is free. A piece is released when the last consumer is done with it. When one consumer fails no other
/// gets another piece.
///
/// A piece that cannot be kept is all that is in the window: [#add] returns when it was used.
public final class BodyWindow implements AutoCloseable {
    /// What a piece takes at least, with its buffer: so their number has a bound too.
    private static final int SMALLEST = 4 << 10;

    private final long limit;
    private final List<Lane> lanes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long held;
    private int atWork;
    private boolean stopped;
    private Optional<Throwable> failure = Optional.empty();

    /// One consumer, and what it has yet to take; it is at work while that is anything.
    private static final class Lane {
        private final PieceConsumer consumer;
        private final ArrayDeque<Piece> waiting = new ArrayDeque<>();
        private boolean atWork;

        Lane(PieceConsumer consumer) {
            this.consumer = consumer;
        }
    }

    private static final class Piece {
        private final ByteBuffer bytes;
        private final ByteSource.Kept kept;
        private final int size;
        private final AtomicInteger users;

        Piece(ByteBuffer bytes, ByteSource.Kept kept, int users) {
            this.bytes = bytes;
            this.kept = kept;
            this.size = Math.max(SMALLEST, bytes.remaining());
            this.users = new AtomicInteger(users);
        }
    }

    /// @param limit of the bytes held, where a small piece counts as 4 KiB; a single one may be more
    public BodyWindow(long limit, List<PieceConsumer> consumers) {
        this.limit = limit;
        this.lanes = consumers.stream().map(Lane::new).toList();
    }

    /// Hands a piece to all consumers, once there is room. One thread at a time, as [#finish] and [#close].
    ///
    /// @param kept the window's own from now on; empty when the bytes stay only until this returns
    /// @throws RuntimeException what a consumer failed with
    public void add(ByteBuffer bytes, Optional<ByteSource.Kept> kept) {
        var piece = new Piece(bytes, kept.orElse(() -> {}), lanes.size());
        var idle = new ArrayList<Lane>(lanes.size());
        if (!admit(piece, idle)) {
            piece.kept.release();
            throw failed();
        }
        idle.forEach(this::run);
        if (kept.isEmpty()) {
            finish();
        }
    }

    /// @param idle gets the lanes that are to be run
    /// @return false when it is too late
    private boolean admit(Piece piece, List<Lane> idle) {
        lock.lock();
        try {
            if (held + piece.size > limit) {
                while (!stopped && held > 0 && held + piece.size > limit / 2) {
                    changed.awaitUninterruptibly();
                }
            }
            if (stopped) {
                return false;
            }
            held += piece.size;
            for (var lane : lanes) {
                lane.waiting.add(piece);
                if (!lane.atWork) {
                    lane.atWork = true;
                    atWork++;
                    idle.add(lane);
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Waits until every consumer has taken all.
    ///
    /// @throws RuntimeException what a consumer failed with
    public void finish() {
        awaitConsumers();
        if (failure.isPresent()) {
            throw failed();
        }
    }

    /// Takes from the consumers what they have not begun with, and waits for the rest: then nothing is held.
    @Override
    public void close() {
        stop(Optional.empty());
        awaitConsumers();
    }

    /// Gives a lane its pieces until one takes time; whoever completes that one goes on.
    private void run(Lane lane) {
        for (var next = next(lane); next.isPresent(); next = next(lane)) {
            var piece = next.get();
            var taken = take(lane, piece);
            if (!taken.isDone()) {
                var _ = taken.whenComplete((_, problem) -> {
                    done(piece, Optional.ofNullable(problem));
                    run(lane);
                });
                return;
            }
            done(
                    piece,
                    taken.handle((_, problem) -> Optional.ofNullable(problem)).join());
        }
    }

    private static CompletableFuture<Void> take(Lane lane, Piece piece) {
        try {
            return lane.consumer.take(piece.bytes.duplicate());
        } catch (RuntimeException | Error problem) {
            return CompletableFuture.failedFuture(problem);
        }
    }

    private Optional<Piece> next(Lane lane) {
        lock.lock();
        try {
            var piece = Optional.ofNullable(lane.waiting.poll());
            if (piece.isEmpty()) {
                lane.atWork = false;
                atWork--;
                changed.signal();
            }
            return piece;
        } finally {
            lock.unlock();
        }
    }

    private void done(Piece piece, Optional<Throwable> problem) {
        if (problem.isPresent()) {
            stop(problem);
        }
        unused(piece);
    }

    /// By one of its users.
    private void unused(Piece piece) {
        if (piece.users.decrementAndGet() > 0) {
            return;
        }
        piece.kept.release();
        lock.lock();
        try {
            held -= piece.size;
            if (held <= limit / 2) {
                changed.signal(); // not at every piece: the receiving thread would wake up for each
            }
        } finally {
            lock.unlock();
        }
    }

    private void stop(Optional<Throwable> problem) {
        var untaken = new ArrayList<Piece>();
        lock.lock();
        try {
            stopped = true;
            if (failure.isEmpty()) {
                failure = problem.map(Await::reason);
            }
            for (var lane : lanes) {
                untaken.addAll(lane.waiting);
                lane.waiting.clear();
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
        untaken.forEach(this::unused);
    }

    private void awaitConsumers() {
        lock.lock();
        try {
            while (atWork > 0) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private RuntimeException failed() {
        return Await.unchecked(failure.orElseGet(() -> new IllegalStateException("the window is closed")));
    }
}
