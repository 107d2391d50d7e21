package dev.sluice.cli.trust;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sluice.testing.MadeKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.Executors;

/// Answers everything with 200 and what it was sent, behind a certificate made for it that signed itself.
public final class TlsServer implements AutoCloseable {
    private final HttpsServer server;
    private final Path certificate;

    private TlsServer(HttpsServer server, Path certificate) {
        this.server = server;
        this.certificate = certificate;
    }

    /// @param names for whom the certificate is, as keytool wants them: `ip:127.0.0.1`
    public static TlsServer start(Path folder, String names) throws IOException, GeneralSecurityException {
        var keys = new MadeKeys(folder.resolve("keys.p12")).make("server", "-ext", "SAN=" + names);
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(keys.showing()));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                var sent = exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, sent.length == 0 ? -1 : sent.length);
                exchange.getResponseBody().write(sent);
            }
        });
        server.start();
        return new TlsServer(server, keys.certificate("server"));
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    public String url() {
        return "https://127.0.0.1:" + address().getPort();
    }

    /// The PEM file of its certificate.
    public Path certificate() {
        return certificate;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
