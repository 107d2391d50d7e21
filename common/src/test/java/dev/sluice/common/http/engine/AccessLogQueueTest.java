package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AccessLogQueueTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final EngineMetrics metrics = new EngineMetrics(registry, "test");

    private static void add(AccessLogQueue queue, String path) {
        var remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        var head = new RequestHead("GET", path, "", Headers.EMPTY, 0, remote, false, "request1");
        queue.add(head, 200, 0, 0, Duration.ZERO, true);
    }

    private double dropped() {
        return registry.get("sluice.http.access.log.dropped").functionCounter().count();
    }

    /// Read after the writer has ended.
    private static final class Recorder implements AccessLog {
        private final List<String> buffered = new ArrayList<>();
        private final List<String> written = new ArrayList<>();

        @Override
        public void answered(Entry entry) {
            if (entry.path().equals("/bad")) {
                throw new IllegalStateException("no space");
            }
            buffered.add(entry.path());
        }

        @Override
        public void flush() {
            written.addAll(buffered);
            buffered.clear();
        }
    }

    @Test
    void closeWritesWhatWasAdded() {
        var log = new Recorder();
        var queue = new AccessLogQueue(log, metrics);
        for (int i = 0; i < 1000; i++) {
            add(queue, "/k" + i);
        }
        queue.close();
        assertThat(log.written).hasSize(1000).startsWith("/k0").endsWith("/k999");
        assertThat(dropped()).isZero();
    }

    @Test
    void tokenOfALinkToThePageIsKeptBack() {
        var log = new Recorder();
        var queue = new AccessLogQueue(log, metrics);
        List.of("/ui/SECRET/data", "/ui/SECRET/", "/ui/SECRET", "/ui").forEach(path -> add(queue, path));
        queue.close();
        assertThat(log.written).containsExactly("/ui/data", "/ui/", "/ui/", "/ui");
    }

    @Test
    void entryThatCannotBeWrittenIsCountedAndTheNextIsWritten() {
        var log = new Recorder();
        var queue = new AccessLogQueue(log, metrics);
        add(queue, "/bad");
        add(queue, "/good");
        queue.close();
        assertThat(log.written).containsExactly("/good");
        assertThat(dropped()).isEqualTo(1);
    }
}
