package dev.sluice.common.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Whom a node believes when it calls another: the certificates it shows itself, and no others. Clusters often sign
/// their own, which no JVM knows.
public final class ClusterTls {
    private ClusterTls() {}

    /// @param certificates a PEM file
    /// @throws IOException with one line for the operator when the file holds none
    public static SSLContext trusting(Path certificates) throws IOException {
        try (var in = Files.newInputStream(certificates)) {
            var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (var each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("node" + count++, each);
            }
            if (count == 0) {
                throw new IOException(certificates + " holds no certificate");
            }
            var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "the certificates in %s cannot be used: %s".formatted(certificates, e.getMessage()), e);
        }
    }
}
