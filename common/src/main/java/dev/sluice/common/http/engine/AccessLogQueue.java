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

    private final ArrayBlockingQueue<AccessLog.Entry> entries = new ArrayBlockingQueue<>(CAPACITY);
    private final AccessLog log;
    private final EngineMetrics metrics;
    private final Thread writer;

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
                head.requestId(),
                head.remote().getAddress().getHostAddress(),
                head.method(),
                head.path(),
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
                pass(entries.take());
            }
        } catch (InterruptedException closed) {
            entries.forEach(this::pass);
        }
    }

    private void pass(AccessLog.Entry entry) {
        try {
            log.answered(entry);
        } catch (RuntimeException broken) {
            LOG.error("the access log failed", broken);
        }
    }

    @Override
    public void close() {
        writer.interrupt();
    }
}
