package dev.sluice.common.peer;

import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.http.Headers;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;

/// Small calls from this node to another, blocking, for virtual threads: everything but object data, which the engine
/// relays. A peer that does not answer is [StoreException.Unavailable]; its own failures keep their meaning.
public final class PeerClient implements AutoCloseable {
    /// How long an object's first byte may take: it may come from a slow cloud.
    private static final Duration OPEN = Duration.ofSeconds(60);

    /// How often whoever may go is asked whether he has gone.
    private static final Duration LOOK = Duration.ofMillis(200);

    private static final int LONGEST_FAILURE = 64 << 10;

    /// With 16 KiB, as it is by default, a read of an erasure-coded object of 64 MiB takes a quarter longer. It is read
    /// when the first client is made.
    private static final String BUFFER = "jdk.httpclient.bufsize";

    static {
        if (System.getProperty(BUFFER) == null) {
            System.setProperty(BUFFER, Integer.toString(128 << 10));
        }
    }

    private final ExecutorService threads;
    private final HttpClient http;
    private final PeerTokens tokens;
    private final Optional<SSLContext> tls;

    public PeerClient(PeerTokens tokens) {
        this(tokens, Optional.empty());
    }

    /// @param tls how the nodes' certificates are judged; by the JVM's own rules when empty
    public PeerClient(PeerTokens tokens, Optional<SSLContext> tls) {
        this(tokens, tls, Executors.newVirtualThreadPerTaskExecutor());
    }

    private PeerClient(PeerTokens tokens, Optional<SSLContext> tls, ExecutorService threads) {
        this.tokens = tokens;
        this.tls = tls;
        this.threads = threads;
        var builder = HttpClient.newBuilder()
                .executor(threads)
                .connectTimeout(Duration.ofSeconds(2))
                .version(HttpClient.Version.HTTP_1_1);
        tls.ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    /// One like this with connections and a platform thread of its own: its calls wait for no others, and not for the
    /// threads that carry virtual ones.
    public PeerClient apart(String thread) {
        return new PeerClient(
                tokens,
                tls,
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().name(thread).daemon().factory()));
    }

    /// @param query encoded, without `?`; may be empty
    /// @throws StoreException.Unavailable when it does not answer; with a [java.net.ConnectException] as its cause
    ///     when it was not reached at all
    public byte[] get(PeerAddress to, String path, String query, Duration timeout) {
        return call(to, path, query, Optional.empty(), timeout, Optional.empty());
    }

    /// @param body at most [PeerTokens#LARGEST_COMMAND] bytes, [PeerTokens#LARGEST_MESSAGES] between replicas
    public byte[] post(PeerAddress to, String path, String query, byte[] body, Duration timeout) {
        return call(to, path, query, Optional.of(body), timeout, Optional.empty());
    }

    /// The same for somebody who may go: then the connection is closed, by which the peer knows.
    ///
    /// @param abandoned whether he has gone
    public byte[] post(
            PeerAddress to, String path, String query, byte[] body, Duration timeout, BooleanSupplier abandoned) {
        return call(to, path, query, Optional.of(body), timeout, Optional.of(abandoned));
    }

    /// An object's GET at the node that has it; the caller closes the body. Any status may come back.
    ///
    /// @param path encoded
    public HttpResponse<InputStream> open(PeerAddress to, String path, Headers headers) {
        return open(to, path, headers, OPEN);
    }

    /// @param path encoded, with its query
    /// @param firstByte how long it may take until the answer begins
    public HttpResponse<InputStream> open(PeerAddress to, String path, Headers headers, Duration firstByte) {
        var request = HttpRequest.newBuilder(URI.create(to.url() + path))
                .header(PeerTokens.HEADER, tokens.issue(to.id(), "GET", path))
                .timeout(firstByte);
        headers.forEach(request::header);
        try {
            return http.send(request.build(), BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new StoreException.Unavailable("%s does not answer: %s".formatted(to.url(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted while asking " + to.url());
        }
    }

    /// The answer to a command, as it comes; the caller closes it.
    ///
    /// @param silence how long may pass without a byte of it
    /// @throws StoreException what the peer failed with, or Unavailable
    public InputStream stream(PeerAddress to, String path, byte[] command, Duration silence) {
        var request = command(to, path, command).timeout(silence).build();
        try {
            var response = http.send(request, BodyHandlers.ofInputStream());
            var steady = new SteadyBody(response.body(), silence);
            if (response.statusCode() == 200) {
                return steady;
            }
            try (var body = steady) {
                throw failure(to, path, response.statusCode(), response.headers(), body.readNBytes(LONGEST_FAILURE));
            }
        } catch (IOException e) {
            throw new StoreException.Unavailable("%s does not answer: %s".formatted(to.url(), e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted while asking " + to.url());
        }
    }

    private HttpRequest.Builder command(PeerAddress to, String target, byte[] body) {
        var sha256 = PeerTokens.sha256(body);
        return HttpRequest.newBuilder(URI.create(to.url() + target))
                .POST(BodyPublishers.ofByteArray(body))
                .header(PeerTokens.BODY_HEADER, sha256)
                .header(PeerTokens.HEADER, tokens.issue(to.id(), "POST", target, sha256));
    }

    private static StoreException failure(PeerAddress to, String path, int status, HttpHeaders headers, byte[] body)
            throws IOException {
        return headers.firstValue("Content-Type").orElse("").equals("application/json")
                ? ClusterJson.read(body, PeerFailure.class).toException()
                : new StoreException.Unavailable("%s answered %d to %s".formatted(to.url(), status, path));
    }

    private byte[] call(
            PeerAddress to,
            String path,
            String query,
            Optional<byte[]> body,
            Duration limit,
            Optional<BooleanSupplier> abandoned) {
        var timeout = Deadline.atMost(limit);
        if (timeout.isZero()) {
            throw new StoreException.Unavailable("no time is left to ask " + to.url());
        }
        var target = query.isEmpty() ? path : path + "?" + query;
        var building = body.map(command -> command(to, target, command))
                .orElseGet(() -> HttpRequest.newBuilder(URI.create(to.url() + target))
                        .GET()
                        .header(PeerTokens.HEADER, tokens.issue(to.id(), "GET", target)));
        var request = building.timeout(timeout).build();
        HttpResponse<byte[]> response;
        try {
            response = whole(request, timeout, abandoned);
            if (response.statusCode() == 200 || response.statusCode() == 204) {
                return response.body();
            }
            throw failure(to, path, response.statusCode(), response.headers(), response.body());
        } catch (IOException e) {
            throw new StoreException.Unavailable("%s does not answer: %s".formatted(to.url(), e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted while asking " + to.url());
        }
    }

    /// The client's own limit ends where the body begins; this one covers it.
    private HttpResponse<byte[]> whole(HttpRequest request, Duration timeout, Optional<BooleanSupplier> abandoned)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        var answer = http.sendAsync(request, BodyHandlers.ofByteArray());
        try {
            while (abandoned.isPresent() && end - System.nanoTime() > LOOK.toNanos() && !ends(answer, LOOK)) {
                if (abandoned.get().getAsBoolean()) {
                    throw new IOException("nobody waits for the answer any more");
                }
            }
            return answer.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new HttpTimeoutException("no whole answer in " + timeout.toMillis() + " ms");
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof IOException broken ? broken : new IOException(failure.getCause());
        } finally {
            answer.cancel(true); // ends the exchange where it goes on
        }
    }

    private static boolean ends(CompletableFuture<?> answer, Duration within) throws InterruptedException {
        try {
            var _ = answer.get(within.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException _) {
            return true; // whoever asks for it is told why
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
        http.close();
        threads.close();
    }
}
