package dev.sluice.common.http.engine;

import java.time.Duration;
import java.util.Optional;

/// What may be set about a server, checked. [#DEFAULTS] are for what nobody sets.
///
/// @param maxHeaderBytes all header fields of one request together
/// @param maxUriBytes the request line's target
/// @param maxConnections more are answered 503 and closed
/// @param idleTimeout a connection without a request is closed after this
/// @param headerTimeout a request whose head is begun but not complete is closed after this
/// @param progressTimeout a client is closed that sends less than `progressBytes` in this time while we wait for it, or
///     that takes nothing of its answer from the beginning
/// @param pauseTimeout one that took some is closed when it takes nothing for this long; sooner, down to
///     `progressTimeout`, the fewer connections or the less memory is left
/// @param lingerTimeout how long the rest of an unread body is received and thrown away before closing
/// @param connectTimeout connecting to the node of a Forward
/// @param forwardTimeout a node that neither takes nor sends anything for this long has failed
/// @param copyBelow file ranges up to this length are copied into the write of the head (decision 0012 has what is done
///     with longer ones)
/// @param inboundQueueBytes received but unread body bytes per connection
/// @param memoryBudget bytes of bodies queued in all connections; beyond it each gets the smallest share
/// @param tls certificates; without them plain HTTP
public record EngineConfig(
        int maxHeaderBytes,
        int maxUriBytes,
        int maxConnections,
        Duration idleTimeout,
        Duration headerTimeout,
        Duration progressTimeout,
        Duration pauseTimeout,
        int progressBytes,
        Duration lingerTimeout,
        Duration connectTimeout,
        Duration forwardTimeout,
        int copyBelow,
        int inboundQueueBytes,
        long memoryBudget,
        Optional<TlsFiles> tls) {
    public static final EngineConfig DEFAULTS = new EngineConfig(
            16 << 10,
            8 << 10,
            10_000,
            Duration.ofSeconds(75),
            Duration.ofSeconds(20),
            Duration.ofSeconds(30),
            Duration.ofSeconds(120),
            4 << 10,
            Duration.ofSeconds(5),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60),
            32 << 10,
            512 << 10,
            64L << 20,
            Optional.empty());

    public EngineConfig {
        requirePositive("maxHeaderBytes", maxHeaderBytes);
        requirePositive("maxUriBytes", maxUriBytes);
        requirePositive("maxConnections", maxConnections);
        requirePositive("idleTimeout", idleTimeout.toMillis());
        requirePositive("headerTimeout", headerTimeout.toMillis());
        requirePositive("progressTimeout", progressTimeout.toMillis());
        if (pauseTimeout.compareTo(progressTimeout) < 0) {
            throw new IllegalArgumentException("pauseTimeout must be at least progressTimeout, not " + pauseTimeout);
        }
        requirePositive("progressBytes", progressBytes);
        requirePositive("lingerTimeout", lingerTimeout.toMillis());
        requirePositive("connectTimeout", connectTimeout.toMillis());
        requirePositive("forwardTimeout", forwardTimeout.toMillis());
        requirePositive("inboundQueueBytes", inboundQueueBytes);
        requirePositive("memoryBudget", memoryBudget);
        if (copyBelow < 0 || copyBelow > 1 << 20) {
            throw new IllegalArgumentException("copyBelow must be between 0 and 1 MiB, not " + copyBelow);
        }
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }
}
