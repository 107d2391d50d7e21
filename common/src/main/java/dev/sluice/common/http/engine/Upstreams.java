package dev.sluice.common.http.engine;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Connections to other nodes, kept for the next request. Each event loop has its own, so that a relayed request stays
/// on one thread.
final class Upstreams {
    private static final int IDLE_PER_NODE = 64;

    private final EngineConfig config;
    private final EventLoops loops;
    private final Optional<Tls> tls;
    private final MemoryBudget budget;
    private final RecvByteBufAllocator receiving;
    private final Duration freshFor;
    private final ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final FastThreadLocal<Map<URI, ArrayDeque<UpstreamConnection>>> idle = new FastThreadLocal<>() {
        @Override
        protected Map<URI, ArrayDeque<UpstreamConnection>> initialValue() {
            return new HashMap<>();
        }
    };

    Upstreams(EngineConfig config, EventLoops loops, Optional<Tls> tls, MemoryBudget budget) {
        this.config = config;
        this.loops = loops;
        this.tls = tls;
        this.budget = budget;
        this.receiving = SocketBuffers.receiving(budget);
        // The node closes idle connections too. A request with a body that meets a closing one fails for good.
        this.freshFor = config.idleTimeout().dividedBy(2);
    }

    /// A connection of this event loop that was used before and is still open.
    Optional<UpstreamConnection> idle(URI node) {
        var connections = idle.get().get(node);
        while (connections != null) {
            // The last one used is the one least likely to have been closed by the node.
            var last = connections.pollLast();
            if (last == null) {
                break;
            }
            if (last.isOpen() && last.idleFor().compareTo(freshFor) < 0) {
                return Optional.of(last);
            }
            last.close();
        }
        return Optional.empty();
    }

    void keep(UpstreamConnection connection) {
        var connections = idle.get().computeIfAbsent(connection.node(), _ -> new ArrayDeque<>());
        if (connections.size() >= IDLE_PER_NODE) {
            connection.close();
            return;
        }
        connections.addLast(connection);
    }

    void forget(UpstreamConnection connection) {
        var connections = idle.get().get(connection.node());
        if (connections != null) {
            connections.remove(connection);
        }
    }

    /// A new connection, served by this loop.
    Promise<UpstreamConnection> connect(EventLoop loop, URI node) {
        Promise<UpstreamConnection> result = loop.newPromise();
        int port = node.getPort() >= 0 ? node.getPort() : isSecure(node) ? 443 : 80;
        var literal = NetUtil.createInetAddressFromIpAddressString(node.getHost());
        if (literal != null) {
            connect(loop, node, new InetSocketAddress(literal, port), result);
            return result;
        }
        // Looking up a name blocks.
        Thread.ofVirtual().start(() -> {
            try {
                connect(loop, node, new InetSocketAddress(InetAddress.getByName(node.getHost()), port), result);
            } catch (IOException | RuntimeException unknown) {
                result.tryFailure(unknown);
            }
        });
        return result;
    }

    private static boolean isSecure(URI node) {
        return "https".equals(node.getScheme());
    }

    private void connect(EventLoop loop, URI node, InetSocketAddress address, Promise<UpstreamConnection> result) {
        if (isSecure(node) && tls.isEmpty()) {
            result.tryFailure(new IOException("no certificates to trust are set, cannot connect to " + node));
            return;
        }
        var connection = new UpstreamConnection(this, node);
        new Bootstrap()
                .group(loop)
                .channel(loops.clientChannel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, SocketBuffers.WATER_MARKS)
                .option(ChannelOption.ALLOCATOR, SocketBuffers.ALLOCATOR)
                .option(ChannelOption.RECVBUF_ALLOCATOR, receiving)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        config.connectTimeout().toMillis())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        all.add(channel);
                        SocketBuffers.limitUnsent(channel);
                        channel.pipeline().addLast(new WrittenBytes(budget));
                        if (isSecure(node)) {
                            tls.ifPresent(each -> channel.pipeline().addLast(each.clientSide(channel, node)));
                        }
                        channel.pipeline().addLast(connection.decoder(SocketBuffers.LARGEST_READ), connection);
                    }
                })
                .connect(address)
                .addListener(done -> {
                    if (done.isSuccess()) {
                        result.trySuccess(connection);
                    } else {
                        result.tryFailure(done.cause());
                    }
                });
    }

    void close() {
        all.close().awaitUninterruptibly();
    }
}
