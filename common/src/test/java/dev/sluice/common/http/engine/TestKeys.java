package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.ClusterTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;

/// A certificate for 127.0.0.1, made for a test, and who trusts it.
record TestKeys(TlsFiles files, SSLContext trusting) {
    private static final char[] PASSWORD = "for-the-test".toCharArray();

    static TestKeys make(Path folder) throws Exception {
        var store = folder.resolve("keys.p12");
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
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
        assertThat(new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .doesNotContain("error");
        assertThat(tool.waitFor()).isZero();
        var keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        var certificate = pem("CERTIFICATE", keys.getCertificate("server").getEncoded(), folder.resolve("server.pem"));
        var key = pem("PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded(), folder.resolve("key.pem"));
        return new TestKeys(new TlsFiles(certificate, key, certificate), ClusterTls.trusting(certificate));
    }

    private static Path pem(String what, byte[] bytes, Path file) throws IOException {
        var lines = Base64.getMimeEncoder().encodeToString(bytes);
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
    }
}
