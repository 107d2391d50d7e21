package dev.sluice.common.http.engine;

import java.time.Duration;
import java.util.Optional;

/// The settings of a server under test: the defaults, but for what a test changes.
final class TestConfig {
    private static final EngineConfig USUAL = EngineConfig.DEFAULTS;

    private int maxConnections = USUAL.maxConnections();
    private Duration idle = USUAL.idleTimeout();
    private Duration header = USUAL.headerTimeout();
    private Duration progress = USUAL.progressTimeout();
    private Duration pause = USUAL.pauseTimeout();
    private Duration linger = USUAL.lingerTimeout();
    private Duration connect = USUAL.connectTimeout();
    private Duration forward = USUAL.forwardTimeout();
    private int inboundQueue = USUAL.inboundQueueBytes();
    private long memoryBudget = USUAL.memoryBudget();
    private Optional<TlsFiles> tls = USUAL.tls();

    TestConfig maxConnections(int connections) {
        maxConnections = connections;
        return this;
    }

    /// The time-outs towards clients, which may not pause.
    TestConfig timeouts(Duration newIdle, Duration newHeader, Duration newProgress, Duration newLinger) {
        idle = newIdle;
        header = newHeader;
        progress = newProgress;
        pause = newProgress;
        linger = newLinger;
        return this;
    }

    /// How long clients may pause.
    TestConfig pause(Duration longest) {
        pause = longest;
        return this;
    }

    /// The time-outs towards the nodes of a Forward.
    TestConfig forwardTimeouts(Duration newConnect, Duration silence) {
        connect = newConnect;
        forward = silence;
        return this;
    }

    TestConfig inboundQueue(int bytes) {
        inboundQueue = bytes;
        return this;
    }

    TestConfig memoryBudget(long bytes) {
        memoryBudget = bytes;
        return this;
    }

    TestConfig tls(TlsFiles files) {
        tls = Optional.of(files);
        return this;
    }

    EngineConfig build() {
        return new EngineConfig(
                USUAL.maxHeaderBytes(),
                USUAL.maxUriBytes(),
                maxConnections,
                idle,
                header,
                progress,
                pause,
                USUAL.progressBytes(),
                linger,
                connect,
                forward,
                USUAL.copyBelow(),
                inboundQueue,
                memoryBudget,
                tls);
    }
}
