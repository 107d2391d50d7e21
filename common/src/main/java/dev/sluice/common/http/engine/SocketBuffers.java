package dev.sluice.common.http.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.DelegatingHandle;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.UncheckedBooleanSupplier;

/// The sizes and the origin of what is read from and written to sockets.
final class SocketBuffers {
    /// Each read becomes one step of whoever takes the body in: a drive's write, a digest. Few large ones are cheaper.
    static final int LARGEST_READ = 256 << 10;

    static final WriteBufferWaterMark WATER_MARKS = new WriteBufferWaterMark(128 << 10, 512 << 10);

    /// Pooled: Netty's default gives buffers of this size fresh, cleared memory each time.
    static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

    /// What the system takes for a connection beside what is on its way. Without a limit it is up to 4 MiB for a client
    /// that does not read, of memory that the whole machine shares. When that is used up, the system resets the
    /// connections of others. With half of this limit a connection alone is a sixth slower.
    private static final long MOST_UNSENT = 256 << 10;

    private static final int SMALLEST_READ = 2 << 10;
    private static final int READ_WHEN_SHORT = 4 << 10;
    private static final int FIRST_READ = 16 << 10;

    private SocketBuffers() {}

    /// Only where it is Linux.
    static void limitUnsent(Channel channel) {
        if (channel instanceof EpollSocketChannel) {
            channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, MOST_UNSENT);
        }
    }

    /// Follows what the connection brings; while the memory for bodies is used up, each gets little.
    static RecvByteBufAllocator receiving(MemoryBudget budget) {
        var adaptive = new AdaptiveRecvByteBufAllocator(SMALLEST_READ, FIRST_READ, LARGEST_READ);
        return () -> new Reads((ExtendedHandle) adaptive.newHandle(), budget);
    }

    private static final class Reads extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle adaptive;
        private final MemoryBudget budget;

        Reads(ExtendedHandle adaptive, MemoryBudget budget) {
            super(adaptive);
            this.adaptive = adaptive;
            this.budget = budget;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return allocator.ioBuffer(guess());
        }

        @Override
        public int guess() {
            return budget.exhausted() ? READ_WHEN_SHORT : adaptive.guess();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return adaptive.continueReading(maybeMore);
        }
    }
}
