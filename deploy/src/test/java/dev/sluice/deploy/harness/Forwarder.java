package dev.sluice.deploy.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// A network between two HTTP parties that notes each request line and can be cut: new connections refused, or
/// those that carry a response broken after so many of its bytes. Knows no more of HTTP than what a request
/// line looks like.
public final class Forwarder implements AutoCloseable {
    private static final Pattern REQUEST_LINE =
            Pattern.compile("(GET|HEAD|PUT|POST|DELETE|OPTIONS) (\\S+) HTTP/1\\.1\r");
    private static final int LONGEST_LINE = 16 << 10;
    private static final long NEVER = Long.MAX_VALUE;

    private final URI to;
    private final ServerSocket door;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong answered = new AtomicLong();
    private volatile Predicate<String> breaksOn = request -> false;
    private volatile Predicate<String> held = request -> false;
    private volatile long breaksAfter = NEVER;
    private volatile boolean cut;

    public Forwarder(URI to) {
        this.to = to;
        try {
            this.door = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::welcome);
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + door.getLocalPort());
    }

    /// `METHOD target` of each request so far, oldest first.
    public List<String> requests() {
        return List.copyOf(requests);
    }

    /// Those about one key, in any bucket.
    public List<String> requestsOf(String method, String key) {
        return requests.stream()
                .filter(line -> line.startsWith(method + " ") && line.split("[ ?]")[1].endsWith("/" + key))
                .toList();
    }

    /// Bytes of answers so far, headers included.
    public long answeredBytes() {
        return answered.get();
    }

    /// Answers to requests whose target contains the text end after so many bytes, with the connection.
    public void breakAnswers(String targetContains, long afterBytes) {
        breaksOn = request -> request.startsWith("GET ") && request.contains(targetContains);
        breaksAfter = afterBytes;
    }

    /// No connection lives or begins.
    public void cut() {
        cut = true;
        open.forEach(Forwarder::close);
    }

    /// Answers to requests whose target contains the text wait for [#release], and no connection is lost.
    public synchronized void holdAnswers(String targetContains) {
        held = request -> request.startsWith("GET ") && request.contains(targetContains);
    }

    public synchronized void release() {
        held = request -> false;
        notifyAll();
    }

    private synchronized void awaitRelease(String request) {
        try {
            while (held.test(request)) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public void repair() {
        breaksAfter = NEVER;
        cut = false;
    }

    private void welcome() {
        while (!door.isClosed()) {
            try {
                var client = door.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        open.add(client);
        try (client) {
            if (cut) {
                return;
            }
            try (var server = new Socket(to.getHost(), to.getPort())) {
                open.add(server);
                var exchange = new Exchange();
                var up = Thread.ofVirtual().start(() -> pump(client, server, exchange::sent));
                pump(server, client, exchange::answered);
                close(client);
                up.join();
                open.remove(server);
            }
        } catch (IOException broken) {
            close(client); // as the party behind would do it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(client);
        }
    }

    /// What passes in one direction; false ends the connection.
    private interface Watch {
        boolean pass(byte[] buffer, int length);
    }

    private static void pump(Socket from, Socket to, Watch watch) {
        var buffer = new byte[64 << 10];
        try {
            InputStream in = from.getInputStream();
            for (int n = in.read(buffer); n >= 0 && watch.pass(buffer, n); n = in.read(buffer)) {
                to.getOutputStream().write(buffer, 0, n);
            }
        } catch (IOException broken) {
            close(from); // either side has gone; the other learns it below
        } finally {
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// One connection: the request that it carries now, and how much of the answer has passed.
    private final class Exchange {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private volatile String request = "";
        private final AtomicLong answeredNow = new AtomicLong();

        boolean sent(byte[] buffer, int length) {
            for (int i = 0; i < length; i++) {
                if (buffer[i] == '\n') {
                    var match = REQUEST_LINE.matcher(line.toString(StandardCharsets.ISO_8859_1));
                    if (match.matches()) {
                        request = match.group(1) + " " + match.group(2);
                        answeredNow.set(0);
                        requests.add(request);
                    }
                    line.reset();
                } else if (line.size() < LONGEST_LINE) {
                    line.write(buffer[i]);
                }
            }
            return true;
        }

        boolean answered(byte[] buffer, int length) {
            awaitRelease(request);
            answered.addAndGet(length);
            return answeredNow.addAndGet(length) <= breaksAfter || !breaksOn.test(request);
        }
    }

    @Override
    public void close() {
        release();
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(Forwarder::close);
    }
}
