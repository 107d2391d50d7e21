package dev.sluice.common.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.testing.MadeKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Calls to a node whose certificate the cluster has signed itself.
class PeerClientTlsTest {
    @TempDir
    private Path folder;

    @Test
    void theClustersOwnCertificateIsTrustedAndNoOther() throws Exception {
        var ours = makeKey("ours");
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(ours.showing()));
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
        try (var member = new PeerClient(tokens, Optional.of(ClusterTls.trusting(ours.certificate("ours"))));
                var stranger = new PeerClient(
                        tokens,
                        Optional.of(ClusterTls.trusting(makeKey("theirs").certificate("theirs"))))) {
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
        var authority = keys.certificate("authority");
        assertThat(ClusterTls.holdsAuthority(authority)).isTrue();
        var signed = keys.make("signed", "-signer", "authority").certificate("signed");
        assertThat(ClusterTls.holdsAuthority(signed)).isFalse();
        Files.writeString(signed, Files.readString(signed) + Files.readString(authority));
        assertThat(ClusterTls.holdsAuthority(signed)).as("the whole chain").isTrue();
    }

    private MadeKeys makeKey(String name) throws IOException {
        return new MadeKeys(folder.resolve(name + ".p12")).make(name, "-ext", "SAN=ip:127.0.0.1");
    }
}
