package dev.sluice.cli.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.s3.SignedHttp;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whom the two ways of asking a node (signed requests, and its health) believe, and what they say when they do not.
final class TrustTest {
    private static final Trust JDK = Trust.of(Optional.empty(), Optional.empty(), Map.of());

    @TempDir
    Path folder = Path.of("");

    @Test
    void theNearestNameCounts() {
        var named = Optional.of(Path.of("/named.pem"));
        var own = Optional.of(Path.of("/own.pem"));
        var environment = Map.of("AWS_CA_BUNDLE", "/environment.pem");
        assertThat(Trust.of(named, own, environment).certificates()).isEqualTo(named);
        assertThat(Trust.of(Optional.empty(), own, environment).certificates()).isEqualTo(own);
        assertThat(Trust.of(Optional.empty(), Optional.empty(), environment).certificates())
                .contains(Path.of("/environment.pem"));
        assertThat(Trust.of(Optional.empty(), Optional.empty(), Map.of("AWS_CA_BUNDLE", "")))
                .isEqualTo(JDK);
        assertThat(JDK.certificates()).isEmpty();
    }

    @Test
    void aCertificateIsBelievedByThoseWhoAreGivenIt() throws Exception {
        try (var server = TlsServer.start(folder, "ip:127.0.0.1")) {
            var trust = Trust.of(Optional.of(server.certificate()), Optional.empty(), Map.of());
            assertThat(get(server.url(), trust)).isEqualTo(200);
            assertThat(NativeApi.health(server.url(), trust).state()).isEqualTo(NativeApi.Health.SERVING);

            assertRefused(server.url(), JDK, "certificate is not known to the JDK's trust store", "AWS_CA_BUNDLE");
        }
    }

    @Test
    void aCertificateForAnotherHostIsNotBelieved() throws Exception {
        try (var server = TlsServer.start(folder, "dns:elsewhere.example")) {
            var trust = Trust.of(Optional.of(server.certificate()), Optional.empty(), Map.of());
            assertRefused(server.url(), trust, "its certificate does not hold", "127.0.0.1", "must name the host");
        }
    }

    @Test
    void aServerThatIsGoneIsNotBlamedOnItsCertificate() throws Exception {
        var server = TlsServer.start(folder, "ip:127.0.0.1");
        server.close();
        assertThatThrownBy(() -> get(server.url(), JDK))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("is the cluster up");
        assertThat(NativeApi.health(server.url(), JDK).state()).isEqualTo(NativeApi.Health.UNREACHABLE);
    }

    @Test
    void aFileThatCannotBeUsedIsNamed() {
        var trust = Trust.of(Optional.empty(), Optional.empty(), Map.of("AWS_CA_BUNDLE", "/no/such.pem"));
        assertThatThrownBy(() -> get("https://127.0.0.1:9", trust))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("/no/such.pem: there is no such file (AWS_CA_BUNDLE=/no/such.pem)");
        assertThatThrownBy(() -> get("http://127.0.0.1:9", trust))
                .as("without TLS nobody looks at it")
                .hasMessageContaining("is the cluster up");
    }

    private static void assertRefused(String url, Trust trust, String... says) {
        assertThatThrownBy(() -> get(url, trust))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContainingAll(says);
        assertThatThrownBy(() -> NativeApi.health(url, trust))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContainingAll(says);
    }

    private static int get(String url, Trust trust) {
        return new SignedHttp(URI.create(url), Optional.empty(), trust)
                .call("GET", "/x", Map.of())
                .statusCode();
    }
}
