package dev.sluice.common.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Calls to a node whose certificate the cluster has signed itself.
class PeerClientTlsTest {
    private static final char[] PASSWORD = "for-the-test".toCharArray();

    @TempDir
    private Path folder;

    @Test
    void theClustersOwnCertificateIsTrustedAndNoOther() throws Exception {
        var ours = makeKey("ours");
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(showing(ours)));
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        var node = new PeerAddress(
                new NodeId("target001"),
                "https://127.0.0.1:" + server.getAddress().getPort());
        var tokens = new PeerTokens(
                new NodeId("target001"),
                "sixteen bytes or more".getBytes(StandardCharsets.UTF_8),
                InstantSource.system());
        try (var member = new PeerClient(tokens, Optional.of(ClusterTls.trusting(pem("ours", ours))));
                var stranger =
                        new PeerClient(tokens, Optional.of(ClusterTls.trusting(pem("theirs", makeKey("theirs")))))) {
            assertThat(member.get(node, "/v1/peer/state", "", Duration.ofSeconds(10)))
                    .isEmpty();
            assertThatThrownBy(() -> stranger.get(node, "/v1/peer/state", "", Duration.ofSeconds(10)))
                    .isInstanceOf(StoreException.Unavailable.class);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aFileWithoutACertificateIsNamed() throws IOException {
        var file = Files.createFile(folder.resolve("empty.pem"));
        assertThatThrownBy(() -> ClusterTls.trusting(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("empty.pem");
        Files.delete(file);
        assertThatThrownBy(() -> ClusterTls.trusting(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": there is no such file");
    }

    @Test
    void onlyAFileWithAnAuthorityHelpsProgramsThatWantOne() throws Exception {
        var keys = makeKey("authority");
        assertThat(ClusterTls.holdsAuthority(pem("alone", keys))).isTrue();
        run(keytool("authority", "signed", "-signer", "node"));
        keys = KeyStore.getInstance(folder.resolve("authority.p12").toFile(), PASSWORD);
        var signed = pem("signed", keys, "signed");
        assertThat(ClusterTls.holdsAuthority(signed)).isFalse();
        Files.writeString(signed, Files.readString(signed) + Files.readString(folder.resolve("alone.pem")));
        assertThat(ClusterTls.holdsAuthority(signed)).as("the whole chain").isTrue();
    }

    private KeyStore makeKey(String name) throws Exception {
        run(keytool(name, "node"));
        return KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), PASSWORD);
    }

    private static void run(List<String> command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private List<String> keytool(String store, String alias, String... more) {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + store + "-" + alias,
                "-ext",
                "SAN=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                folder.resolve(store + ".p12").toString()));
        command.addAll(List.of(more));
        return command;
    }

    private Path pem(String name, KeyStore keys) throws Exception {
        return pem(name, keys, "node");
    }

    private Path pem(String name, KeyStore keys, String alias) throws Exception {
        var bytes = Base64.getMimeEncoder()
                .encodeToString(keys.getCertificate(alias).getEncoded());
        return Files.writeString(
                folder.resolve(name + ".pem"),
                "-----BEGIN CERTIFICATE-----\n" + bytes + "\n-----END CERTIFICATE-----\n");
    }

    private static SSLContext showing(KeyStore keys) throws Exception {
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
