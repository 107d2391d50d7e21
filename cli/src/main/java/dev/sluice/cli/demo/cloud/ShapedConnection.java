package dev.sluice.cli.demo.cloud;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection through the shaped cloud: requests one way, answers the other. What breaks on one side is broken on
/// the other too, so a cut transfer never looks like a finished one.
final class ShapedConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ShapedConnection.class);
    private static final int BUFFER = 64 << 10;

    private final Socket client;
    private final Socket server;
    private final Duration latency;
    private final Pace upward;
    private final Pace downward;
    private final TrafficCounter counter;

    ShapedConnection(
            Socket client, Socket server, Duration latency, Pace upward, Pace downward, TrafficCounter counter) {
        this.client = client;
        this.server = server;
        this.latency = latency;
        this.upward = upward;
        this.downward = downward;
        this.counter = counter;
    }

    /// Forwards until both sides are done. The caller closes the sockets.
    void run() throws IOException {
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Thread requests = Thread.ofVirtual().name("shaped-requests").start(() -> orAbort(this::forwardRequests));
        orAbort(this::forwardAnswers);
        try {
            requests.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while forwarding", e);
        }
    }

    void abort() {
        try (client;
                server) {
            LOG.trace("cutting a connection");
        } catch (IOException e) {
            LOG.debug("A connection did not close cleanly: {}", e.toString());
        }
    }

    private void forwardRequests() throws IOException {
        var scanner = new RequestScanner();
        var buffer = new byte[BUFFER];
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            upward.await(read);
            counter.up(read);
            int at = 0;
            while (at < read) {
                int taken = scanner.scan(buffer, at, read - at);
                scanner.completed().ifPresent(line -> {
                    counter.request(line);
                    travel();
                });
                out.write(buffer, at, taken);
                at += taken;
            }
        }
        server.shutdownOutput();
    }

    private void forwardAnswers() throws IOException {
        var buffer = new byte[BUFFER];
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            downward.await(read);
            counter.down(read);
            out.write(buffer, 0, read);
        }
        client.shutdownOutput();
    }

    private void travel() {
        long due = System.nanoTime() + latency.toNanos();
        for (long left = latency.toNanos(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void orAbort(Forwarding forwarding) {
        try {
            forwarding.run();
        } catch (IOException e) {
            LOG.debug("A shaped connection broke: {}", e.toString());
            abort();
        }
    }

    private interface Forwarding {
        void run() throws IOException;
    }
}
