package dev.sluice.common.peer;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Whom a node believes when it calls another: the certificates it shows itself, and no others. Clusters often sign
/// their own, which no JVM knows.
public final class ClusterTls {
    private ClusterTls() {}

    /// @param certificates a PEM file
    /// @throws IOException with one line for the operator when the file holds none, or cannot be read
    public static SSLContext trusting(Path certificates) throws IOException {
        try {
            var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (var each : read(certificates)) {
                trusted.setCertificateEntry("node" + count++, each);
            }
            var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw unusable(certificates, e);
        }
    }

    /// Whether the file holds an authority: a certificate that is signed by itself. Programs that want authorities
    /// (`AWS_CA_BUNDLE`, `curl --cacert`) take no other file.
    public static boolean holdsAuthority(Path certificates) throws IOException {
        return read(certificates).stream()
                .anyMatch(each -> each.getSubjectX500Principal().equals(each.getIssuerX500Principal()));
    }

    private static List<X509Certificate> read(Path certificates) throws IOException {
        try (var in = Files.newInputStream(certificates)) {
            var found = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            if (found.isEmpty()) {
                throw new IOException(certificates + " holds no certificate");
            }
            return found;
        } catch (NoSuchFileException e) {
            throw new IOException(certificates + ": there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException(certificates + ": no permission to read it", e);
        } catch (CertificateException e) {
            throw unusable(certificates, e);
        }
    }

    private static IOException unusable(Path certificates, GeneralSecurityException e) {
        return new IOException("the certificates in %s cannot be used: %s".formatted(certificates, e.getMessage()), e);
    }
}
