package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.hotset.GatheredBytes;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.SliceOf;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/// An object, read from the slices that its members have: forwards, as a rule.
public final class GatheredObject implements GatheredBytes {
    private static final int BLOCK = BlockSums.BLOCK;

    /// Cells that a read has as long as none is made of others.
    private static final int KEPT = 2;

    /// What came of a slice and was not read yet takes this part of a cell's memory, about.
    private static final int STREAMS_A_CELL = 4;

    private final SliceSources sources;
    private final ObjectRecord record;
    private final SliceLayout layout;
    private final Executor threads;
    private final CellBudget budget;
    private final CellBudget.Share memory;
    private final AtomicInteger users = new AtomicInteger(1);
    private volatile boolean closed;
    private long end;
    private Optional<Gather> gather = Optional.empty();

    /// @param record of the object, for the slice that is here
    /// @param threads for what blocks
    /// @param memory is taken from the first byte on
    public GatheredObject(SliceSources sources, ObjectRecord record, Executor threads, CellBudget memory) {
        this.sources = sources;
        this.record = record;
        this.layout = new SliceLayout(record.slice().map(SliceOf::code).orElseThrow(), record.size());
        this.threads = threads;
        this.budget = memory;
        this.memory = memory.share();
        this.end = record.size();
    }

    @Override
    public double shortage() {
        return budget.shortage();
    }

    @Override
    public synchronized void expect(long from, long to) {
        end = Math.min(record.size(), to);
    }

    @Override
    public CompletionStage<?> prepare(long offset) {
        return offset < record.size() ? onThread(() -> bring(offset)) : CompletableFuture.completedFuture(null);
    }

    /// Not of a stripe to come: what is left of this one is still to be read.
    private synchronized void bring(long offset) {
        int stripe = (int) layout.code().stripe(offset / BLOCK);
        if (gather.filter(now -> !now.isAt(stripe) && now.goesOnAt(stripe)).isEmpty()) {
            var _ = block(offset);
        }
    }

    @Override
    public CompletionStage<?> fetch(long offset, ByteBuffer into) {
        return onThread(() -> read(offset, into));
    }

    private CompletableFuture<Void> onThread(Runnable work) {
        if (users.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            return CompletableFuture.failedFuture(over());
        }
        return CompletableFuture.runAsync(work, threads).whenComplete((_, _) -> release());
    }

    private static StoreException over() {
        return new StoreException.Unavailable("the read has ended");
    }

    private synchronized void read(long offset, ByteBuffer into) {
        for (long at = offset; into.hasRemaining(); ) {
            if (closed) {
                throw over();
            }
            var block = block(at);
            int count = Math.min(block.remaining(), into.remaining());
            into.put(block.slice(block.position(), count));
            at += count;
        }
    }

    /// The rest of the block that an offset is in.
    private synchronized ByteBuffer block(long offset) {
        long block = offset / BLOCK;
        int stripe = (int) layout.code().stripe(block);
        var cell = from(block, stripe).cell(stripe, layout.code().position(block));
        return cell.position((int) (offset % BLOCK));
    }

    /// All that will be read is opened before its first byte is, so that it is of one version to the end.
    private Gather from(long block, int stripe) {
        if (gather.filter(now -> now.goesOnAt(stripe)).isEmpty()) {
            gather.ifPresent(Gather::close);
            gather = Optional.empty();
            memory.begin(KEPT + (layout.code().data() + STREAMS_A_CELL - 1) / STREAMS_A_CELL);
            long last = Math.max(block, (Math.max(1, end) - 1) / BLOCK);
            var code = layout.code();
            var next = new Gather(sources, record, stripe, (int) code.stripe(last), memory::goOn);
            gather = Optional.of(next);
            next.open(LongStream.rangeClosed(block, Math.min(last, block + code.data() - 1))
                    .mapToObj(code::position)
                    .filter(position -> position != record.position()) // it is read where it lies
                    .toList());
        }
        return gather.get();
    }

    @Override
    public void close() {
        closed = true;
        release();
    }

    private void release() {
        if (users.decrementAndGet() == 0) {
            threads.execute(this::end);
        }
    }

    private synchronized void end() {
        gather.ifPresent(Gather::close);
        gather = Optional.empty();
        memory.close();
    }
}
