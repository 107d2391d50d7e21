package dev.sluice.common.http.engine;

import dev.sluice.common.http.HttpHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.Optional;

/// What all connections of one server share.
final class Engine {
    private final EngineConfig config;
    private final HttpHandler handler;
    private final FailureAnswers failures;
    private final EngineMetrics metrics;
    private final AccessLogQueue accessLog;
    private final Upstreams upstreams;
    private final RelayWatch relays;
    private final NodePings pings;
    private final Optional<Tls> tls;
    private final MemoryBudget budget;
    private final RequestIds requestIds = new RequestIds();
    private final DateLine date = new DateLine();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private volatile boolean draining;

    Engine(
            EngineConfig config,
            EventLoops loops,
            HttpHandler handler,
            FailureAnswers failures,
            EngineMetrics metrics,
            AccessLog accessLog,
            Optional<Tls> tls) {
        this.config = config;
        this.handler = handler;
        this.failures = failures;
        this.metrics = metrics;
        this.accessLog = new AccessLogQueue(accessLog, metrics);
        this.tls = tls;
        this.budget = new MemoryBudget(config.memoryBudget(), loops.bodyBytes(), metrics.queued());
        this.relays = new RelayWatch(metrics);
        this.upstreams = new Upstreams(config, loops, tls, budget);
        this.pings = new NodePings(upstreams);
    }

    EngineConfig config() {
        return config;
    }

    HttpHandler handler() {
        return handler;
    }

    FailureAnswers failures() {
        return failures;
    }

    EngineMetrics metrics() {
        return metrics;
    }

    AccessLogQueue accessLog() {
        return accessLog;
    }

    Upstreams upstreams() {
        return upstreams;
    }

    RelayWatch relays() {
        return relays;
    }

    NodePings pings() {
        return pings;
    }

    Optional<Tls> tls() {
        return tls;
    }

    MemoryBudget budget() {
        return budget;
    }

    RequestIds requestIds() {
        return requestIds;
    }

    DateLine date() {
        return date;
    }

    ChannelGroup connections() {
        return connections;
    }

    /// How short connections and the memory for bodies are: 0 while half of the connections are free and three quarters
    /// of the memory, 1 when no connection is or the memory is scarce.
    double shortage() {
        double used = Math.max((double) metrics.connections() / config.maxConnections(), 2 * budget.part());
        return Math.clamp(2 * used - 1, 0.0, 1.0);
    }

    boolean draining() {
        return draining;
    }

    void startDraining() {
        draining = true;
    }
}
