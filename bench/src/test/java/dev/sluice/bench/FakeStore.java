package dev.sluice.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/// A store in memory that speaks as much S3 as the bench asks for, counts it, and can be told to misbehave.
final class FakeStore implements AutoCloseable {
    private static final int PAGE = 10;

    private final NavigableMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final AtomicInteger gets = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private final Function<Integer, Misbehaviour> misbehaviour;

    enum Misbehaviour {
        NONE,
        REFUSE,
        REFUSE_AND_CLOSE,
        CUT_SHORT,
        OTHER_LENGTH,
        OTHER_BYTES
    }

    /// Asked with the number of every GET, from zero.
    FakeStore(Function<Integer, Misbehaviour> misbehaviour) throws IOException {
        this.misbehaviour = misbehaviour;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    NavigableMap<String, byte[]> objects() {
        return objects;
    }

    long count(String method) {
        return counts.getOrDefault(method, new LongAdder()).sum();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            String path = exchange.getRequestURI().getPath();
            byte[] sent = exchange.getRequestBody().readAllBytes();
            boolean signed = exchange.getRequestHeaders().containsKey("Authorization");
            counts.computeIfAbsent(signed ? method : "anonymous", _ -> new LongAdder())
                    .increment();
            boolean bucket = path.indexOf('/', 1) < 0;
            switch (method) {
                case "PUT" -> {
                    if (!bucket) {
                        objects.put(path, sent);
                    }
                    exchange.sendResponseHeaders(bucket ? 409 : 200, -1);
                }
                case "HEAD" -> {
                    exchange.getResponseHeaders().set("Content-Length", Integer.toString(stored(path).length));
                    exchange.sendResponseHeaders(200, -1);
                }
                default -> {
                    if (bucket) {
                        send(exchange, page(exchange.getRequestURI().getQuery()));
                    } else {
                        get(exchange, stored(path));
                    }
                }
            }
        }
    }

    private byte[] stored(String path) {
        return Objects.requireNonNull(objects.get(path), path);
    }

    private void get(HttpExchange exchange, byte[] content) throws IOException {
        byte[] bytes = content.clone();
        switch (misbehaviour.apply(gets.getAndIncrement())) {
            case NONE -> send(exchange, bytes);
            case REFUSE -> exchange.sendResponseHeaders(503, -1);
            case REFUSE_AND_CLOSE -> {
                exchange.getResponseHeaders().set("Connection", "close");
                exchange.sendResponseHeaders(503, -1);
            }
            case OTHER_LENGTH -> send(exchange, new byte[bytes.length - 1]);
            case OTHER_BYTES -> {
                bytes[bytes.length / 2] ^= 1;
                send(exchange, bytes);
            }
            case CUT_SHORT -> {
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes, 0, bytes.length / 2);
                exchange.getResponseBody().flush();
            }
        }
    }

    private static void send(HttpExchange exchange, byte[] bytes) throws IOException {
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private byte[] page(String query) {
        String after = "";
        for (String parameter : query.split("&")) {
            if (parameter.startsWith("continuation-token=")) {
                after = parameter.substring(parameter.indexOf('=') + 1);
            }
        }
        var keys = objects.tailMap(after, false).keySet().stream().limit(PAGE).toList();
        String entries = keys.stream()
                .map(key -> "<Contents><Key>" + key + "</Key></Contents>")
                .collect(Collectors.joining());
        boolean more = !keys.isEmpty() && objects.higherKey(keys.getLast()) != null;
        String next = more ? "<NextContinuationToken>" + keys.getLast() + "</NextContinuationToken>" : "";
        return ("<ListBucketResult>" + next + entries + "</ListBucketResult>").getBytes(StandardCharsets.UTF_8);
    }
}
