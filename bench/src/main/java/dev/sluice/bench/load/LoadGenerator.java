package dev.sluice.bench.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/// Sends a workload over some connections from some event-loop threads, and tallies the answers. Runs follow one
/// another; the threads stay until it is closed.
public final class LoadGenerator implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int SILENCE_SECONDS = 60;
    private static final int LARGEST_READ = 256 << 10;

    private final MultiThreadIoEventLoopGroup loops;
    private final Bootstrap bootstrap;

    public LoadGenerator(int threads) {
        boolean epoll = Epoll.isAvailable();
        loops = new MultiThreadIoEventLoopGroup(
                threads, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        bootstrap = new Bootstrap()
                .group(loops)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(1 << 10, 16 << 10, LARGEST_READ));
    }

    /// What one run sends, and to whom.
    ///
    /// @param checkContent answers to GETs must have the body's very bytes
    /// @param backOff how long a connection waits after a 503
    /// @param every when a connection sends its next request, however long the last one took; 0: after its answer
    public record Run(
            Endpoint endpoint,
            Workload workload,
            Body body,
            int connections,
            boolean checkContent,
            Duration backOff,
            Duration every) {}

    /// Blocks until the window is over, or the workload has nothing more.
    public Tally run(Run run, Window window) throws InterruptedException {
        RequestHeads heads = run.endpoint().heads(run.body());
        var connections = new ArrayList<ClosedLoop>(run.connections());
        for (int i = 0; i < run.connections(); i++) {
            var loop = new ClosedLoop(run, heads, window, run.workload().session(i), this::connect);
            connections.add(loop);
            loop.start();
        }
        var total = new Tally();
        for (ClosedLoop connection : connections) {
            total.add(connection.await(window.nanosLeft() + GRACE_NANOS));
        }
        return total;
    }

    private void connect(ClosedLoop connection) {
        bootstrap
                .clone()
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new ReadTimeoutHandler(SILENCE_SECONDS),
                                        new AnswerDecoder(connection),
                                        connection);
                    }
                })
                .connect(connection.address())
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        connection.notConnected(done.cause());
                    }
                });
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
