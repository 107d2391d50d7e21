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
        if (settle(context) && !awaitsEnd) {
            awaitsEnd = true;
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
                awaitsEnd = false;
                if (done.isSuccess() && context.channel().isActive()) {
                    left(context);
                }
            });
        }
    }

    /// What was written meanwhile has a flush of its own to come.
    private void left(ChannelHandlerContext context) {
        settle(context);
        context.fireChannelWritabilityChanged();
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

    private static long pending(ChannelHandlerContext context) {
        var out = context.channel().unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes();
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
