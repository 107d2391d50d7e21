package dev.sluice.cli.trust;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// Answers everything with 200 and what it was sent, behind a certificate made for it that signed itself.
public final class TlsServer implements AutoCloseable {
    private static final char[] PASSWORD = "for-the-test".toCharArray();

    private final HttpsServer server;
    private final Path certificate;

    private TlsServer(HttpsServer server, Path certificate) {
        this.server = server;
        this.certificate = certificate;
    }

    /// @param names for whom the certificate is, as keytool wants them: `ip:127.0.0.1`
    public static TlsServer start(Path folder, String names) throws IOException, GeneralSecurityException {
        var keys = makeKeys(folder.resolve("keys.p12"), names);
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(showing(keys)));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                var sent = exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, sent.length == 0 ? -1 : sent.length);
                exchange.getResponseBody().write(sent);
            }
        });
        server.start();
        return new TlsServer(server, pem(folder, keys));
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

    private static KeyStore makeKeys(Path store, String names) throws IOException, GeneralSecurityException {
        var tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-XX:+UseSerialGC",
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=server",
                        "-ext",
                        "SAN=" + names,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        var said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!Files.exists(store)) {
            throw new IOException("keytool: " + said);
        }
        return KeyStore.getInstance(store.toFile(), PASSWORD);
    }

    private static Path pem(Path folder, KeyStore keys) throws IOException, GeneralSecurityException {
        var text = Base64.getMimeEncoder()
                .encodeToString(keys.getCertificate("server").getEncoded());
        return Files.writeString(
                folder.resolve("server.pem"), "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
    }

    private static SSLContext showing(KeyStore keys) throws GeneralSecurityException {
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
