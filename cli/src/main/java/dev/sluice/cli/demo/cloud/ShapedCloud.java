package dev.sluice.cli.demo.cloud;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A door on loopback before another HTTP/1.1 endpoint, which makes it as far away as a cloud: every request waits for
/// the latency before it goes on, and all connections together share one bandwidth in each direction. It counts the
/// requests by kind; where that endpoint wants TLS, TLS begins behind the door. Bytes pass unchanged; at most one
/// buffer per connection and direction is held, so a slow reader
/// slows the sender. Two virtual threads per connection.
public final class ShapedCloud implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ShapedCloud.class);
    private static final int CONNECT_MILLIS = 5_000;

    private final InetSocketAddress upstream;
    private final Optional<SSLSocketFactory> tls;
    private final Duration latency;
    private final Pace upward;
    private final Pace downward;
    private final TrafficCounter counter = new TrafficCounter();
    private final ServerSocket server;
    private final Set<ShapedConnection> connections = ConcurrentHashMap.newKeySet();

    private ShapedCloud(
            InetSocketAddress upstream, Optional<SSLSocketFactory> tls, Duration latency, long bytesPerSecond)
            throws IOException {
        this.upstream = upstream;
        this.tls = tls;
        this.latency = latency;
        this.upward = new Pace(bytesPerSecond);
        this.downward = new Pace(bytesPerSecond);
        this.server = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
    }

    /// Opens the door on a free port.
    public static ShapedCloud before(
            InetSocketAddress upstream, Optional<SSLSocketFactory> tls, Duration latency, long bytesPerSecond)
            throws IOException {
        var cloud = new ShapedCloud(upstream, tls, latency, bytesPerSecond);
        Thread.ofVirtual().name("shaped-cloud").start(cloud::accept);
        return cloud;
    }

    public int port() {
        return server.getLocalPort();
    }

    public Traffic traffic() {
        return counter.soFar();
    }

    /// Closes the door and every connection through it.
    @Override
    public void close() throws IOException {
        server.close();
        connections.forEach(ShapedConnection::abort);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread.ofVirtual().name("shaped-connection").start(() -> serve(client));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    LOG.warn("The shaped cloud could not accept a connection: {}", e.toString());
                }
            }
        }
    }

    private Socket connect() throws IOException {
        var plain = new Socket();
        try {
            plain.connect(upstream, CONNECT_MILLIS);
            return tls.isPresent() ? secured(plain, tls.get()) : plain;
        } catch (IOException failure) {
            plain.close();
            throw failure;
        }
    }

    private SSLSocket secured(Socket plain, SSLSocketFactory factory) throws IOException {
        var secure = (SSLSocket) factory.createSocket(plain, upstream.getHostString(), upstream.getPort(), true);
        var parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    private void serve(Socket client) {
        try (client;
                var far = connect()) {
            var connection = new ShapedConnection(client, far, latency, upward, downward, counter);
            connections.add(connection);
            try {
                if (!server.isClosed()) {
                    connection.run();
                }
            } finally {
                connections.remove(connection);
            }
        } catch (IOException e) {
            LOG.debug("A connection through the shaped cloud broke: {}", e.toString());
        }
    }
}
