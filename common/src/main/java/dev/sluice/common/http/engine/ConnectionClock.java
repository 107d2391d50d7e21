package dev.sluice.common.http.engine;

import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes a connection whose client is idle, half-open, too slow in sending or too slow in receiving. Looks every few
/// seconds instead of setting an alarm per event: a busy connection costs nothing, an idle one next to nothing.
final class ConnectionClock implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionClock.class);

    private final Engine engine;
    private final EngineConfig config;
    private final Connection connection;
    private final Channel channel;
    private final long tickNanos;
    private @Nullable Future<?> tick;

    private long idleSince = System.nanoTime();
    private boolean headBegun;
    private long headSince;
    private boolean awaitingBody;
    private long bodySince;
    private long bodyBytes;
    private boolean lingering;
    private long lingerSince;
    private long outSince;
    private long outSeen;
    private boolean halfClosed;

    ConnectionClock(Engine engine, Connection connection, Channel channel) {
        this.engine = engine;
        this.config = engine.config();
        this.connection = connection;
        this.channel = channel;
        long shortest = Math.min(
                Math.min(config.idleTimeout().toNanos(), config.headerTimeout().toNanos()),
                Math.min(
                        config.progressTimeout().toNanos(),
                        config.lingerTimeout().toNanos()));
        this.tickNanos = Math.clamp(shortest / 4, TimeUnit.MILLISECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(5));
    }

    void start() {
        startTicking(tickNanos);
    }

    private void startTicking(long nanos) {
        tick = channel.eventLoop().scheduleWithFixedDelay(this, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /// The client sends nothing more. Whether it has gone is asked each second, since the transport does not tell: it
    /// has no event for a reset that finds nothing to write. A client that may have gone may not pause.
    void halfClosed() {
        halfClosed = true;
        stop();
        startTicking(Math.min(tickNanos, TimeUnit.SECONDS.toNanos(1)));
    }

    void stop() {
        if (tick != null) {
            tick.cancel(false);
        }
    }

    void received(int bytes, boolean betweenRequests) {
        bodyBytes += bytes;
        if (betweenRequests && !headBegun) {
            headBegun = true;
            headSince = System.nanoTime();
        }
    }

    void headComplete() {
        headBegun = false;
    }

    void idleFromNow() {
        idleSince = System.nanoTime();
        awaitingBody = false;
    }

    /// @param body true while the client owes us a part of a body
    void reading(boolean body) {
        if (body && !awaitingBody) {
            bodySince = System.nanoTime();
            bodyBytes = 0;
        }
        awaitingBody = body;
    }

    void lingerFromNow() {
        lingering = true;
        lingerSince = System.nanoTime();
    }

    @Override
    public void run() {
        long now = System.nanoTime();
        var exchange = connection.current();
        if (halfClosed && TakenBytes.isReset(channel)) {
            close("has gone");
        } else if (lingering) {
            closeIf(now - lingerSince, config.lingerTimeout(), "took too long to close");
        } else if (headBegun) {
            closeIf(now - headSince, config.headerTimeout(), "did not complete a request's head");
        } else if (exchange == null) {
            if (receives(now)) {
                idleSince = now;
                watchAnswer(now - outSince, 0);
            } else {
                closeIf(now - idleSince, config.idleTimeout(), "is idle");
            }
        } else if (halfClosed && exchange.isUndecided() && engine.shortage() > 0) {
            close("may have gone, and others need its place");
        } else {
            exchange.tick(now);
            if (receives(now)) {
                watchAnswer(now - outSince, exchange.shortage());
            }
            if (awaitingBody) {
                watchBody(now);
            }
        }
    }

    /// A loader pauses in the middle of a shard while its training does something else. Where connections or memory run
    /// short the longest pauses end first.
    ///
    /// @param shortage of what else the answer holds
    private void watchAnswer(long elapsed, double shortage) {
        var least = config.progressTimeout();
        if (elapsed > least.toNanos()) {
            double plenty = 1 - Math.max(shortage, engine.shortage());
            long more = !halfClosed && TakenBytes.areSome(channel)
                    ? (long) (config.pauseTimeout().minus(least).toNanos() * plenty)
                    : 0;
            closeIf(elapsed, least.plusNanos(more), "does not take its answer");
        }
    }

    private void watchBody(long now) {
        if (bodyBytes >= config.progressBytes()) {
            bodySince = now;
            bodyBytes = 0;
        }
        closeIf(now - bodySince, config.progressTimeout(), "does not send its body");
    }

    /// True while bytes wait for the client to take them; notes when it last took some.
    private boolean receives(long now) {
        var out = channel.unsafe().outboundBuffer();
        if (out == null || out.isEmpty()) {
            outSince = now;
            outSeen = 0;
            return false;
        }
        long seen = out.currentProgress() * 31 + out.totalPendingWriteBytes() * 17 + out.size();
        if (seen != outSeen) {
            outSeen = seen;
            outSince = now;
        }
        return true;
    }

    private void closeIf(long elapsed, Duration limit, String reason) {
        if (elapsed > limit.toNanos()) {
            close(reason);
        }
    }

    private void close(String reason) {
        LOG.debug("closing the connection of {}: it {}", channel.remoteAddress(), reason);
        Unawaited.close(channel);
    }
}
