package dev.sluice.common.http.engine;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// The threads that serve sockets. Made once per process and shared by all its servers; closed after them.
public final class EventLoops implements AutoCloseable {
    private final EventLoopGroup group;
    private final AtomicLong bodyBytes = new AtomicLong();

    private EventLoops(EventLoopGroup group) {
        this.group = group;
    }

    /// One loop per core.
    public static EventLoops start() {
        return start(Runtime.getRuntime().availableProcessors());
    }

    public static EventLoops start(int threads) {
        IoHandlerFactory io = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new EventLoops(
                new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("event-loop", true), io));
    }

    EventLoopGroup group() {
        return group;
    }

    /// Of bodies that wait in the queues of all servers here.
    AtomicLong bodyBytes() {
        return bodyBytes;
    }

    Class<? extends ServerChannel> serverChannel() {
        return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    Class<? extends SocketChannel> clientChannel() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /// Ends the threads; what is still connected is cut off.
    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
