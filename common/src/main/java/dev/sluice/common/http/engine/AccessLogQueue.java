package dev.sluice.common.http.engine;

import dev.sluice.common.http.RequestHead;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries entries from the event loops to the access log without ever making a loop wait.
final class AccessLogQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLogQueue.class);
    private static final int CAPACITY = 8192;
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

    private final ArrayBlockingQueue<AccessLog.Entry> entries = new ArrayBlockingQueue<>(CAPACITY);
    private final AccessLog log;
    private final EngineMetrics metrics;
    private final Thread writer;
    private boolean failing;

    AccessLogQueue(AccessLog log, EngineMetrics metrics) {
        this.log = log;
        this.metrics = metrics;
        this.writer = Thread.ofVirtual().name("access-log").unstarted(this::write);
        if (log.wanted()) {
            writer.start();
        }
    }

    void add(RequestHead head, int status, long bytesIn, long bytesOut, Duration took, boolean complete) {
        if (!log.wanted()) {
            return;
        }
        var entry = new AccessLog.Entry(
                System.currentTimeMillis(),
                head.requestId(),
                head.remote().getAddress().getHostAddress(),
                head.method(),
                head.loggedPath(),
                head.query(),
                status,
                bytesIn,
                bytesOut,
                took,
                complete);
        if (!entries.offer(entry)) {
            metrics.accessLogDropped();
        }
    }

    private void write() {
        try {
            while (true) {
                var entry = entries.poll();
                if (entry == null) {
                    attempt(log::flush);
                    entry = entries.take();
                }
                pass(entry);
            }
        } catch (InterruptedException closed) {
            entries.forEach(this::pass);
            attempt(log::flush);
        }
    }

    private void pass(AccessLog.Entry entry) {
        if (!attempt(() -> log.answered(entry))) {
            metrics.accessLogDropped();
        }
    }

    /// A log that fails, fails at each entry: it is told of once until it works again.
    private boolean attempt(Runnable step) {
        try {
            step.run();
            failing = false;
            return true;
        } catch (RuntimeException broken) {
            if (!failing) {
                LOG.error("the access log failed: {}", broken.getMessage(), broken);
            }
            failing = true;
            return false;
        }
    }

    /// Waits until what was added is written.
    @Override
    public void close() {
        if (!log.wanted()) {
            return;
        }
        writer.interrupt();
        try {
            if (!writer.join(LONGEST_CLOSE)) {
                LOG.warn("the access log is not written to its end within {}", LONGEST_CLOSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
