package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import io.netty.handler.ssl.OpenSsl;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The same engine behind TLS, with a key made for the test.
class TlsTest {
    private static final char[] PASSWORD = "for-the-test".toCharArray();

    @TempDir
    static Path folder;

    private static KeyStore keys;

    @BeforeAll
    static void makeKey() throws Exception {
        var store = folder.resolve("keys.p12");
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                store.toString());
        var tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(new String(tool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                .doesNotContain("error");
        assertThat(tool.waitFor()).isZero();
        keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        pem("CERTIFICATE", keys.getCertificate("server").getEncoded(), "server.pem");
        pem("PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded(), "key.pem");
    }

    private static void pem(String what, byte[] bytes, String name) throws IOException {
        Files.writeString(
                folder.resolve(name),
                "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + what
                        + "-----\n");
    }

    private static EngineConfig secure() {
        var certificate = folder.resolve("server.pem");
        return EngineConfig.DEFAULTS.withTls(new TlsFiles(certificate, folder.resolve("key.pem"), certificate));
    }

    private static HttpClient client() throws Exception {
        var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder()
                .sslContext(context)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    private static URI address(TestServer server, String path) {
        return URI.create("https://127.0.0.1:" + server.server.address().getPort() + path);
    }

    @Test
    void boringSslIsThere() {
        assertThat(OpenSsl.isAvailable())
                .as("%s", OpenSsl.unavailabilityCause())
                .isTrue();
    }

    @Test
    void filesBodiesAndRelayWorkBehindTls() throws Exception {
        var path = folder.resolve("file");
        var bytes = TestFile.write(path, 3_500_000);
        try (var back = TestServer.blocking(secure(), request -> {
                    if (request.head().method().equals("PUT")) {
                        long count = 0;
                        for (var part = request.body().next();
                                part.hasRemaining();
                                part = request.body().next()) {
                            count += part.remaining();
                        }
                        return Response.text(
                                200, "text/plain", count + " " + request.head().secure());
                    }
                    int length = Integer.parseInt(request.head().query());
                    return Response.of(
                            200,
                            Headers.EMPTY,
                            new FileRange(length % 2 == 0 ? TestFile.ready(path) : TestFile.cold(path), 1, length));
                });
                var front = TestServer.immediate(secure(), _ -> new Forward(address(back, ""), Headers.EMPTY));
                var client = client()) {
            for (var server : List.of(back, front)) {
                for (int length : new int[] {10, 65_536, 65_537, 3_000_000, 3_000_001}) {
                    var answer = client.send(
                            HttpRequest.newBuilder(address(server, "/?" + length))
                                    .build(),
                            HttpResponse.BodyHandlers.ofByteArray());
                    assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(bytes, 1, 1 + length));
                }
                var put = client.send(
                        HttpRequest.newBuilder(address(server, "/x"))
                                .PUT(HttpRequest.BodyPublishers.ofByteArray(bytes))
                                .expectContinue(true)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(put.body()).isEqualTo("3500000 true");
            }
        }
    }

    @Test
    void plainHttpToATlsPortDisturbsNobody() throws Exception {
        try (var server = TestServer.immediate(secure(), _ -> Response.empty(204));
                var plain = server.connect();
                var client = client()) {
            plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            plain.readToEnd();
            var answer = client.send(
                    HttpRequest.newBuilder(address(server, "/")).build(), HttpResponse.BodyHandlers.discarding());
            assertThat(answer.statusCode()).isEqualTo(204);
        }
    }
}
