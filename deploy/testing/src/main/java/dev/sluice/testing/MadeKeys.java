package dev.sluice.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// Keys and certificates that are made for a test.
///
/// @param store the PKCS#12 file that has them
public record MadeKeys(Path store) {
    private static final char[] PASSWORD = "for-the-test".toCharArray();

    /// Makes one more key, with a certificate that it signs itself.
    ///
    /// @param alias its name, also in its certificate
    /// @param options of `keytool -genkeypair` besides
    public MadeKeys make(String alias, String... options) throws IOException {
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
                "CN=" + alias,
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                store.toString()));
        command.addAll(List.of(options));
        var tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (tool.waitFor() != 0) {
                throw new IOException("keytool: " + said);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("keytool was not awaited", interrupted);
        }
        return this;
    }

    /// Writes a certificate to a PEM file beside the store.
    public Path certificate(String alias) throws IOException, GeneralSecurityException {
        return pem(alias + ".pem", "CERTIFICATE", keys().getCertificate(alias).getEncoded());
    }

    /// The same for a key.
    public Path key(String alias) throws IOException, GeneralSecurityException {
        return pem(
                alias + "-key.pem",
                "PRIVATE KEY",
                keys().getKey(alias, PASSWORD).getEncoded());
    }

    private Path pem(String name, String what, byte[] bytes) throws IOException {
        var text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                store.resolveSibling(name), "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(what, text, what));
    }

    /// For a server that shows these certificates.
    public SSLContext showing() throws IOException, GeneralSecurityException {
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys(), PASSWORD);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private KeyStore keys() throws IOException, GeneralSecurityException {
        return KeyStore.getInstance(store.toFile(), PASSWORD);
    }
}
