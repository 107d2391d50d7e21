package dev.sluice.common.http.engine;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.Request;
import dev.sluice.common.http.RequestHead;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CopyOnWriteArrayList;

/// A server on a free port of the loopback, with what a test wants to look at.
final class TestServer implements AutoCloseable {
    static final EventLoops LOOPS = EventLoops.start(2);

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final CopyOnWriteArrayList<AccessLog.Entry> accesses = new CopyOnWriteArrayList<>();
    final HttpServer server;

    /// What a handler would do in blocking work.
    interface Blocking {
        Answer answer(Request request) throws Exception;
    }

    /// What a handler would do in on the event loop.
    interface Immediate {
        Answer answer(RequestHead head);
    }

    private TestServer(EngineConfig config, HttpHandler handler) throws IOException {
        this(config, handler, LOOPS);
    }

    private TestServer(EngineConfig config, HttpHandler handler, EventLoops loops) throws IOException {
        server = HttpServer.start(
                config,
                loops,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                handler,
                new EngineMetrics(meters, "test"),
                FailureAnswers.PLAIN,
                accesses::add);
    }

    /// With all that a handler can say.
    static TestServer of(HttpHandler handler) throws IOException {
        return new TestServer(EngineConfig.DEFAULTS, handler);
    }

    static TestServer blocking(Blocking handler) throws IOException {
        return blocking(EngineConfig.DEFAULTS, handler);
    }

    static TestServer blocking(EngineConfig config, Blocking handler) throws IOException {
        return new TestServer(
                config,
                head -> new dev.sluice.common.http.Blocking(body -> {
                    try {
                        return handler.answer(new Request(head, body));
                    } catch (RuntimeException thrown) {
                        throw thrown;
                    } catch (Exception thrown) {
                        throw new IllegalStateException(thrown);
                    }
                }));
    }

    static TestServer immediate(Immediate handler) throws IOException {
        return immediate(EngineConfig.DEFAULTS, handler);
    }

    static TestServer immediate(EngineConfig config, Immediate handler) throws IOException {
        return new TestServer(config, handler::answer);
    }

    /// With a memory of its own.
    static TestServer immediate(EngineConfig config, Immediate handler, EventLoops loops) throws IOException {
        return new TestServer(config, handler::answer, loops);
    }

    RawClient connect() throws IOException {
        return new RawClient(server.address());
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.address().getPort());
    }

    double meter(String name) {
        return meters.get(name).gauge().value();
    }

    @Override
    public void close() {
        server.close();
    }
}
