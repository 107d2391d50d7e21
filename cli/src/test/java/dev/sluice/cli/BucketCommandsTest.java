package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the commands on buckets send, and what they refuse without sending anything.
final class BucketCommandsTest {
    private record Result(int exitCode, String out, String err) {}

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private HttpServer server = make();

    private static HttpServer make() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        } catch (IOException unusable) {
            throw new IllegalStateException(unusable);
        }
    }

    @BeforeEach
    void listen() {
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        received.add("%s %s %s".formatted(exchange.getRequestMethod(), exchange.getRequestURI(), body));
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    private Result sluice(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(
                List.of("--cluster", "http://127.0.0.1:" + server.getAddress().getPort()));
        var out = new StringWriter();
        var err = new StringWriter();
        var exitCode = Sluice.commandLine(TrialSluice.installation(Map.of()))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        return new Result(exitCode, out.toString(), err.toString());
    }

    @Test
    void aBucketIsMadeWithItsProperties() {
        assertThat(sluice("bucket", "create", "shards", "--local-copies", "2", "--quota", "1.5TiB"))
                .returns(0, Result::exitCode);
        assertThat(received)
                .containsExactly("POST /v1/buckets/shards {\"action\":\"create-bck\",\"value\":"
                        + "{\"local_copies\":2,\"quota\":1649267441664}}");
    }

    @Test
    void onlyWhatIsNamedIsChanged() {
        assertThat(sluice("bucket", "set", "shards", "--local-copies", "9")).returns(0, Result::exitCode);
        assertThat(sluice("bucket", "set", "shards", "--quota", "none")).returns(0, Result::exitCode);
        assertThat(received)
                .containsExactly(
                        "PATCH /v1/buckets/shards {\"action\":\"set-bprops\",\"value\":{\"local_copies\":9}}",
                        "PATCH /v1/buckets/shards {\"action\":\"set-bprops\",\"value\":{\"quota\":null}}");
    }

    @Test
    void whatCannotBeIsRefusedBeforeAnythingIsSent() {
        assertThat(sluice("bucket", "set", "shards", "--quota", "lots"))
                .returns(2, Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--quota must be none, or a size", "'lots'"));
        assertThat(sluice("bucket", "set", "shards", "--quota", "9999999999TiB"))
                .returns(2, Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--quota"));
        assertThat(sluice("bucket", "set", "shards"))
                .returns(2, Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--local-copies N"));
        assertThat(received).isEmpty();
    }
}
