package dev.sluice.common.http.engine;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;

/// Charges what was written to a socket and has not left it, the frames of TLS too. Stands next to the socket in its
/// pipeline. Tells those behind it when all has left, as a change of writability: whoever is to send only its
/// smallest share at a time waits for that. Event loop only.
final class WrittenBytes extends ChannelDuplexHandler {
    private final MemoryBudget budget;
    private long charged;
    /// Something is queued behind all bytes, and tells when it leaves.
    private boolean awaitsEnd;

    WrittenBytes(MemoryBudget budget) {
        this.budget = budget;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        context.flush();
        watch(context);
    }

    private void watch(ChannelHandlerContext context) {
        if (settle(context) && !awaitsEnd) {
            awaitsEnd = true;
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
                awaitsEnd = false;
                if (done.isSuccess() && context.channel().isActive()) {
                    endLeft(context);
                }
            });
        }
    }

    /// More may have been flushed behind that end: nobody would tell when it leaves.
    private void endLeft(ChannelHandlerContext context) {
        watch(context);
        if (!awaitsEnd) {
            context.fireChannelWritabilityChanged();
        }
    }

    /// True while some bytes have not left.
    private boolean settle(ChannelHandlerContext context) {
        long pending = pending(context);
        if (pending != charged) {
            budget.charge(pending - charged);
            charged = pending;
        }
        return pending > 0;
    }

    /// What a queue says of its bytes still has those of an entry that is being told that it has left.
    private static long pending(ChannelHandlerContext context) {
        var out = context.channel().unsafe().outboundBuffer();
        return out == null || out.isEmpty() ? 0 : out.totalPendingWriteBytes();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        settle(context);
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        settle(context);
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        budget.release(charged);
        charged = 0;
    }
}
