package dev.sluice.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Where a test's commands send their requests: a server that answers what the test says.
final class AskedNode implements AutoCloseable {
    /// @param target that the request is meant for; "null" when none is named
    record Request(String target, String method, URI uri, String body) {}

    /// The body of the answer; to HEAD the properties of a bucket.
    interface Answers {
        String to(Request request);
    }

    record Result(int exitCode, String out, String err) {}

    private final HttpServer server;

    AskedNode(Answers answers) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        server.createContext("/", exchange -> {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var target = String.valueOf(exchange.getRequestHeaders().getFirst("Ais-Node-Id"));
            var request = new Request(target, exchange.getRequestMethod(), exchange.getRequestURI(), body);
            var answer = answers.to(request).getBytes(StandardCharsets.UTF_8);
            if (request.method().equals("HEAD")) {
                exchange.getResponseHeaders().set("Ais-Bucket-Props", new String(answer, StandardCharsets.UTF_8));
                exchange.sendResponseHeaders(200, -1);
            } else {
                exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
                exchange.getResponseBody().write(answer);
            }
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /// Runs a command that asks this node.
    Result sluice(String... arguments) {
        return sluiceAt("--cluster", arguments);
    }

    /// @param option that names this node
    Result sluiceAt(String option, String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(option, url()));
        var out = new StringWriter();
        var err = new StringWriter();
        var exitCode = Sluice.run(
                TrialSluice.installation(Map.of()),
                new PrintWriter(out),
                new PrintWriter(err),
                all.toArray(String[]::new));
        return new Result(exitCode, out.toString(), err.toString());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
