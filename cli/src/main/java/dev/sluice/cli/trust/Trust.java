package dev.sluice.cli.trust;

import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.common.peer.ClusterTls;
import java.io.IOException;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/// Whose certificates a command believes at an `https` address. Whoever it is: the certificate must also name the host
/// of that address.
///
/// @param source where this comes from, for people
/// @param certificates a PEM file; what the JDK trusts when empty
public record Trust(String source, Optional<Path> certificates) {
    /// What S3 clients read, too.
    public static final String BUNDLE_VARIABLE = "AWS_CA_BUNDLE";

    /// The first of: the file on the command line, the one of the cluster itself, the one in the environment, what the
    /// JDK trusts. The cluster's own comes before the environment's, which many machines set for all programs.
    public static Trust of(Optional<Path> named, Optional<Path> own, Map<String, String> environment) {
        var variable =
                Optional.of(environment.getOrDefault(BUNDLE_VARIABLE, "")).filter(text -> !text.isEmpty());
        return named.map(file -> new Trust("--ca " + file, named))
                .or(() -> own.map(file -> new Trust("the cluster's own " + file, own)))
                .or(() -> variable.map(file -> new Trust(BUNDLE_VARIABLE + "=" + file, Optional.of(Path.of(file)))))
                .orElseGet(() -> new Trust("the JDK's trust store", Optional.empty()));
    }

    public SSLContext context() {
        try {
            return certificates.isPresent() ? ClusterTls.trusting(certificates.get()) : SSLContext.getDefault();
        } catch (IOException unusable) {
            throw CommandFailure.refused("%s (%s)".formatted(unusable.getMessage(), source));
        } catch (NoSuchAlgorithmException unusable) {
            throw CommandFailure.failed(source + " cannot be used: " + unusable.getMessage());
        }
    }

    /// What to tell the user when a connection failed because of TLS, and not because nobody was there.
    public Optional<CommandFailure> refusal(String server, IOException failure) {
        var causes = Stream.iterate((Throwable) failure, each -> each != null, Throwable::getCause)
                .toList();
        if (causes.stream().anyMatch(CertPathBuilderException.class::isInstance)) {
            return Optional.of(CommandFailure.failed(
                    "%s: its certificate is not known to %s: name it, or that of the authority which signed it, by %s=FILE or --ca FILE"
                            .formatted(server, source, BUNDLE_VARIABLE)));
        }
        return causes.stream()
                .filter(each -> each instanceof CertificateException || each instanceof SSLException)
                .reduce((_, deeper) -> deeper)
                .map(cause -> CommandFailure.failed(
                        cause instanceof CertificateException
                                ? "%s: its certificate does not hold: %s. It must name the host of this address, and be valid now"
                                        .formatted(server, cause.getMessage())
                                : "%s: TLS failed: %s (is it an https address?)"
                                        .formatted(server, cause.getMessage())));
    }
}
