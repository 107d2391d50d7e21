import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

/// Writes the certificate authorities of a folder of PEM files into a trust store without a password.
/// `java TrustStore.java FOLDER STORE`
final class TrustStore {
    private TrustStore() {}

    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        var certificates = CertificateFactory.getInstance("X.509");
        try (var files = Files.list(Path.of(arguments[0]))) {
            for (var file : files.filter(each -> each.toString().endsWith(".crt")).sorted().toList()) {
                try (var pem = Files.newInputStream(file)) {
                    store.setCertificateEntry(file.getFileName().toString(), certificates.generateCertificate(pem));
                }
            }
        }
        if (store.size() == 0) {
            throw new IOException("no *.crt in " + arguments[0]);
        }
        try (var out = Files.newOutputStream(Path.of(arguments[1]))) {
            store.store(out, null);
        }
    }
}
