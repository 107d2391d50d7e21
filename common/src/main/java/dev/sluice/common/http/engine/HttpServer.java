package dev.sluice.common.http.engine;

import dev.sluice.common.http.HttpHandler;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A listening HTTP/1.1 server. Started by [#start], stopped by [#drain] and then [#close]; the event loops live on.
public final class HttpServer implements AutoCloseable {
    private static final int ACCEPT_QUEUE = 4096;

    private final Engine engine;
    private final Channel listener;

    private HttpServer(Engine engine, Channel listener) {
        this.engine = engine;
        this.listener = listener;
    }

    /// Returns once the server accepts connections.
    ///
    /// @throws CannotListenException when the address is in use, not ours or not allowed
    /// @throws IOException when the certificates cannot be used
    public static HttpServer start(
            EngineConfig config,
            EventLoops loops,
            InetSocketAddress listen,
            HttpHandler handler,
            EngineMetrics metrics,
            FailureAnswers failures,
            AccessLog accessLog)
            throws IOException {
        var tls = config.tls().isPresent() ? Optional.of(Tls.load(config.tls().get())) : Optional.<Tls>empty();
        var engine = new Engine(config, loops, handler, failures, metrics, accessLog, tls);
        var bound = new ServerBootstrap()
                .group(loops.group())
                .channel(loops.serverChannel())
                .option(ChannelOption.SO_BACKLOG, ACCEPT_QUEUE)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                // Under TLS an end without the peer's close_notify is a truncation, and the end of both directions.
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, tls.isEmpty())
                .childOption(ChannelOption.ALLOCATOR, SocketBuffers.ALLOCATOR)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, SocketBuffers.receiving(engine.budget()))
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, SocketBuffers.WATER_MARKS)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accept(engine, channel);
                    }
                })
                .bind(listen)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            engine.accessLog().close();
            throw new CannotListenException(listen, bound.cause());
        }
        return new HttpServer(engine, bound.channel());
    }

    private static void accept(Engine engine, SocketChannel channel) {
        engine.connections().add(channel);
        SocketBuffers.limitUnsent(channel);
        channel.pipeline().addLast(new WrittenBytes(engine.budget()));
        engine.tls().ifPresent(tls -> channel.pipeline().addLast(tls.serverSide(channel)));
        var connection = new Connection(engine, channel);
        channel.pipeline().addLast(connection.decoder(), connection);
    }

    /// Where it listens, with the real port when 0 was asked for.
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /// Accepts no more connections, lets the requests in flight end and tells their clients to close. Returns when all
    /// connections are closed or the time is up.
    ///
    /// @return true when nothing had to be left behind
    public boolean drain(Duration limit) {
        listener.close().awaitUninterruptibly();
        engine.startDraining();
        engine.connections().forEach(channel -> channel.pipeline().fireUserEventTriggered(new Connection.Drain()));
        return engine.connections().newCloseFuture().awaitUninterruptibly(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Cuts off what is still connected.
    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
        engine.connections().close().awaitUninterruptibly();
        engine.upstreams().close();
        engine.accessLog().close();
    }
}
